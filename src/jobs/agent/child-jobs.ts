import type { ExtractRequest } from '../../schemas/extract.ts';
import { type MapRequest, mapBody } from '../../schemas/map.ts';
import { parserOptions } from '../../schemas/parsers.ts';
import { type ScrapeRequest, scrapeBody } from '../../schemas/scrape.ts';
import { searchBody } from '../../schemas/search.ts';
import type { ChildJob } from '../../storage/agent-steps/child-job.ts';
import type { NewCall } from '../../storage/agent-steps/step.ts';
import { isOnAllowedHost } from '../../url/allowed-hosts.ts';
import { findAccess } from './access.ts';
import { canWorkByRules, type StoredRun } from './stored-run.ts';
import type { AgentTask } from './task.ts';

/** Results of a search of a run. */
const SEARCH_RESULTS = 10;
/** Links of a map of a run. */
const MAP_LINKS = 200;

/**
 * Creates the job that does the work of a call.
 * @param options.hosts the hosts that a page may redirect to
 * @returns `undefined` if the call needs none
 */
export function childJobOf(
  run: StoredRun,
  { tool: kind, input, reserved }: Pick<NewCall, 'tool' | 'input' | 'reserved'>,
  options: { task: AgentTask; hosts: readonly string[] },
): ChildJob | undefined {
  const textOf = (name: string) => (input[name] === undefined ? undefined : String(input[name]));
  const target = textOf(kind === 'search' ? 'query' : 'url') ?? '';
  if (kind === 'scrape') return { kind, target, request: pageRequest(run, target, { ...options, reserved }) };
  if (kind === 'map')
    return { kind, target, request: siteRequest(run, target, { search: textOf('search'), ...options }) };
  if (kind === 'search')
    return { kind, target, request: searchBody.parse({ query: target, limit: SEARCH_RESULTS }) };
  return undefined;
}

function pageRequest(
  run: StoredRun,
  url: string,
  { task, hosts, reserved }: { task: AgentTask; hosts: readonly string[]; reserved: number },
): ScrapeRequest {
  // If the tokens of the team are used up later, the data of the pages that are open is there already.
  const rules = canWorkByRules(run) ? [{ type: 'deterministicJson', schema: task.schema }] : [];
  const formats = ['markdown', ...rules];
  const { proxy, maxPages } = limitsOf(run, task, reserved);
  const request =
    run.kind === 'agent'
      ? scrapeBody.parse({ url, formats, parsers: [{ type: 'pdf', maxPages }], proxy })
      : {
          ...optionsFor(url, run.request.scrapeOptions, task),
          url,
          proxy,
          formats: scrapeBody.parse({ url, formats }).formats,
          parsers: withMaxPages(run.request.scrapeOptions.parsers, maxPages),
        };
  return { zeroDataRetention: false, origin: 'api', ...request, allowedHosts: [...hosts] };
}

/**
 * Chooses the proxy and the number of pages of a document with which a page costs no more than what is
 * reserved for it.
 */
function limitsOf(run: StoredRun, { pageCredits, maxDocumentPages }: AgentTask, reserved: number) {
  const proxy = run.kind === 'agent' ? ('basic' as const) : run.request.scrapeOptions.proxy;
  const isTooExpensive = proxy === 'auto' && reserved < pageCredits.most;
  const page = isTooExpensive ? pageCredits.least : pageCredits.most;
  const maxPages = Math.max(1, Math.min(maxDocumentPages, 1 + reserved - page));
  return { proxy: isTooExpensive ? ('basic' as const) : proxy, maxPages };
}

/** Adds the number of pages to the options of the PDF parser, if a request allows that parser. */
const withMaxPages = (parsers: ScrapeRequest['parsers'], maxPages: number): ScrapeRequest['parsers'] =>
  parserOptions(parsers).map((options) => (options.type === 'pdf' ? { ...options, maxPages } : options));

/**
 * Headers, actions and profiles are meant for the hosts that the user gave, not for those that a search
 * found.
 */
function optionsFor(
  url: string,
  options: ExtractRequest['scrapeOptions'],
  task: AgentTask,
): ExtractRequest['scrapeOptions'] {
  const { hosts } = findAccess({ ...task, prompt: undefined, systemPrompt: undefined });
  if (isOnAllowedHost(url, hosts)) return options;
  const { headers: _headers, actions: _actions, profile: _profile, ...rest } = options;
  return rest;
}

const siteRequest = (
  run: StoredRun,
  url: string,
  { search, task, hosts }: { search: string | undefined; task: AgentTask; hosts: readonly string[] },
): MapRequest => ({
  ...mapBody.parse({
    url,
    limit: MAP_LINKS,
    includeSubdomains: task.includesSubdomains,
    ...(search && { search }),
    ...(run.kind === 'extract' && run.request.ignoreSitemap && { sitemap: 'skip' }),
  }),
  allowedHosts: [...hosts],
});
