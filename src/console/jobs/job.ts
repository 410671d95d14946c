import { html } from 'htm/preact';
import { type ApiResponse, send } from '../api.ts';
import { Explanation } from '../elements/explanation.ts';
import { JsonTree } from '../elements/json-tree.ts';
import { Tabs } from '../elements/tabs.ts';
import { OPERATIONS, type Operation } from '../playground/operations.ts';
import { Result } from '../playground/result.ts';
import { usePolling } from '../polling.ts';
import { BASE } from '../router.ts';
import { SessionCode } from '../sessions/session-code.ts';
import { type Session, SessionView } from '../sessions/session-view.ts';
import { type Action, useAction } from '../use-action.ts';
import { Why } from '../why/why.ts';
import { isUpload, JobTarget } from './job-target.ts';
import { KIND_TITLES } from './listed-job.ts';
import { PageJob } from './page-job.ts';
import { WorkflowLink } from './workflow-link.ts';

type Values = Record<string, unknown>;

/** The paths by which jobs are read that have no pages of their own, by their kind. */
const PATHS: Record<string, string> = {
  scrape: '/v2/scrape',
  extract: '/v2/extract',
  agent: '/v2/agent',
  browser: '/v2/browser',
  interact: '/v2/interact',
  map: '/v2/map',
  search: '/v2/search',
};
const POLL_MS = 1500;
const RUNNING = new Set(['scraping', 'processing', 'active']);
/** The states of jobs as people name them, by their names in the API. */
const STATES: Record<string, string> = {
  scraping: 'Running',
  processing: 'Running',
  active: 'Open',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
  destroyed: 'Ended',
};
/** The kinds of jobs that are browser sessions. */
const SESSIONS = new Set(['browser', 'interact']);

/** One job, by its kind and id. */
export function JobView({ parameters: [kind = '', id = ''] }: { parameters: (string | undefined)[] }) {
  return html`
    <nav class="trail" aria-label="Where you are"><a href=${`${BASE}/jobs`}>Jobs</a> / ${KIND_TITLES[kind] ?? kind}</nav>
    ${
      kind === 'crawl' || kind === 'batch_scrape'
        ? html`<${PageJob} key=${id} kind=${kind} id=${id} />`
        : html`<${SingleJob} key=${id} kind=${kind} id=${id} />`
    }`;
}

function SingleJob({ kind, id }: { kind: string; id: string }) {
  const path = PATHS[kind];
  const { fault, count: acts, run } = useAction();
  const { value, error } = usePolling(
    async (signal): Promise<ApiResponse<Values> | undefined> =>
      path ? await send<Values>({ path: `${path}/${id}`, signal }) : undefined,
    (read) => (RUNNING.has(String(read?.body.status)) ? POLL_MS : undefined),
    `${kind}/${id}`,
    acts,
  );
  const title = html`<h1>${KIND_TITLES[kind] ?? kind} <code>${id}</code></h1>`;
  if (!path) return html`${title}<p class="notice">The console knows no such job.</p>`;
  if (error && !value) {
    return kind === 'scrape' && error.code !== 'NOT_FOUND'
      ? html`${title}<div class="card"><${Why} id=${id} /></div>`
      : html`${title}<p class="error" role="alert"><b>${error.code}</b> ${error.message}</p>`;
  }
  if (!value)
    return html`${title}<p class="waiting" role="status"><span class="spinner" />Reading the job…</p>`;
  const { body } = value;
  const target = targetOf(body);
  return html`
    ${isUpload(target ?? null) ? html`<h1>Parse <code>${id}</code></h1>` : title}
    ${target && html`<${JobTarget} target=${target} />`}
    <div class="bar">
      ${typeof body.status === 'string' && html`<p class="facts" role="status"><span>${STATES[body.status] ?? body.status}</span></p>`}
      <${WorkflowLink} kind=${kind} id=${id} />
    </div>
    ${typeof body.error === 'string' && html`<p class="error" role="alert">${body.error}</p>`}
    ${fault && html`<p class="error" role="alert">${fault}</p>`}
    <${JobResult} kind=${kind} path=${`${path}/${id}`} response=${value} run=${run} />`;
}

/** What a job without pages of its own has made, in the way in which people want to see it. */
function JobResult({
  kind,
  path,
  response,
  run,
}: {
  kind: string;
  path: string;
  response: ApiResponse<Values>;
  run: Action['run'];
}) {
  const { body } = response;
  const id = path.slice(path.lastIndexOf('/') + 1);
  const raw = { name: 'Response', content: () => html`<${JsonTree} value=${body} />` };
  if (SESSIONS.has(kind)) {
    return html`
      <${SessionView} path=${path} session=${body as unknown as Session} run=${run} />
      <details class="card"><summary>As the API describes it</summary><${JsonTree} value=${body} /></details>`;
  }
  if (kind === 'extract' || kind === 'agent') {
    const { data } = body;
    const hasData = data !== undefined && data !== null;
    return html`<div class="card"><${Tabs} label="Parts of the result" tabs=${[
      ...(hasData ? [{ name: 'Data', content: () => html`<${JsonTree} value=${data} />` }] : []),
      raw,
    ]} /></div>`;
  }
  const operation = OPERATIONS.find((each) => each.path === PATHS[kind]) ?? (OPERATIONS[0] as Operation);
  const source = { name: 'Job', content: () => html`<${JsonTree} value=${{ kind, id }} />` };
  const result = html`<div class="card"><${Result} operation=${operation} response=${response} request=${source} /></div>`;
  if (kind !== 'scrape') return result;
  const canContinue = !isUpload(targetOf(body) ?? null);
  return html`
    <${Explanation} jobId=${id} question="Why did this scrape go as it did?" />
    ${result}
    ${canContinue && html`<${SessionCode} key=${id} path=${`${path}/interact`} takesPrompt />`}`;
}

/** The URL of a scrape. */
function targetOf({ data }: Values): string | undefined {
  const { metadata } = (data ?? {}) as { metadata?: Values };
  return typeof metadata?.sourceURL === 'string' ? metadata.sourceURL : undefined;
}
