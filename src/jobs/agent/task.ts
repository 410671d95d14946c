import { deterministicJson } from '../../content/formats/deterministic-json.ts';
import type { ModelFeature } from '../../content/language-model.ts';
import { ENHANCED_PAGE, PAGE } from '../../credits.ts';
import type { AgentRequest } from '../../schemas/agent.ts';

/** Pages of a document that an agent reads at most. */
const AGENT_DOCUMENT_PAGES = 20;
/** Turns of the model at most, by effort. */
const TURNS: Record<AgentRequest['effort'], number> = { low: 6, medium: 12, high: 25 };

/** Why rules derive the result of a run instead of a language model. */
export type RulesReason = 'no-model' | 'budget-spent';

/** The task of a run, as plain data. Every decision of a run depends on it and on the steps so far. */
export interface AgentTask {
  feature: Extract<ModelFeature, 'agent' | 'extract' | 'interact'>;
  /** The request of the user in their own words. */
  prompt: string | undefined;
  /** Rules of the user for the work, beside their request. */
  systemPrompt: string | undefined;
  /** JSON Schema of the result. */
  schema: Record<string, unknown> | undefined;
  /** Absolute URLs that the user gave. */
  urls: readonly string[];
  /** Absolute URLs without their `/*`: sites of which the best pages are read. */
  sites: readonly string[];
  /** Whether nothing but the given URLs may be opened. */
  onlyGivenUrls: boolean;
  /** Whether hosts below those of the sites count as theirs. */
  includesSubdomains: boolean;
  /** Whether the model may search, and open what it finds. */
  searches: boolean;
  /** Whether all given URLs are opened before the model is asked. */
  opensUrlsFirst: boolean;
  /** Turns of the model at most. */
  maxTurns: number;
  /**
   * Why rules derive the result from the pages, and the model is not asked; `undefined` if the model is to
   * derive it.
   */
  byRules: RulesReason | undefined;
  /** Credits that the run may cost. */
  maxCredits: number;
  /** Credits of a page, without those of more pages of a document. */
  pageCredits: { least: number; most: number };
  /** Pages of a document that are read at most, each of which costs a credit. */
  maxDocumentPages: number;
  /** Pages that are read of each site. */
  pagesPerSite: number;
}

/** The task of an agent: the model decides from the start which pages it opens. */
export const agentTask = (request: AgentRequest): AgentTask => ({
  feature: 'agent',
  prompt: request.prompt,
  systemPrompt: undefined,
  schema: request.schema,
  urls: request.urls,
  sites: [],
  onlyGivenUrls: request.strictConstrainToURLs,
  searches: !request.strictConstrainToURLs,
  opensUrlsFirst: false,
  includesSubdomains: false,
  maxTurns: TURNS[request.effort],
  maxCredits: request.maxCredits,
  pagesPerSite: 0,
  byRules: undefined,
  pageCredits: { least: PAGE, most: PAGE },
  maxDocumentPages: AGENT_DOCUMENT_PAGES,
});

/** Turns of the model at most in a prompt of interact. */
export const MAX_PROMPT_TURNS = 25;

/**
 * The task of a prompt in the browser of a session, whose time limits it besides its turns.
 * @param request.url the page that the session shows; any other scheme than http names no host
 */
export const interactTask = ({ prompt, url }: { prompt: string; url: string }): AgentTask => ({
  feature: 'interact',
  prompt,
  systemPrompt: undefined,
  schema: undefined,
  urls: /^https?:/.test(url) ? [url] : [],
  sites: [],
  onlyGivenUrls: false,
  searches: false,
  opensUrlsFirst: false,
  includesSubdomains: false,
  pagesPerSite: 0,
  maxTurns: MAX_PROMPT_TURNS,
  byRules: undefined,
  // The session is billed by its time.
  maxCredits: Number.POSITIVE_INFINITY,
  pageCredits: { least: 0, most: 0 },
  maxDocumentPages: 0,
});

/** The parts of an extract's request that its task depends on. */
export interface ExtractTaskRequest {
  prompt?: string | undefined;
  systemPrompt?: string | undefined;
  schema?: Record<string, unknown> | undefined;
  /** Absolute URLs; a site ends in `/*`. */
  urls: readonly string[];
  limit: number;
  /** Whether the model may open other pages of the given hosts. */
  followsLinks: boolean;
  searches: boolean;
  includeSubdomains: boolean;
  /** The proxy that pages are fetched through. */
  proxy: 'basic' | 'auto' | 'enhanced' | 'stealth';
  /** See {@link AgentTask.maxDocumentPages}. */
  maxDocumentPages: number;
  /** See {@link AgentTask.byRules}. */
  byRules?: RulesReason | undefined;
}

/** Credits that an extract may cost. Its request has no such limit of its own. */
const EXTRACT_MAX_CREDITS = 2_500;

/** The task of an extract: the given pages are read first, then the model works on them. */
export const extractTask = (request: ExtractTaskRequest): AgentTask => ({
  feature: 'extract',
  prompt: request.prompt,
  systemPrompt: request.systemPrompt,
  schema: request.schema,
  urls: request.urls.filter((url) => !isSite(url)),
  sites: request.urls.filter(isSite).map((url) => url.slice(0, -1)),
  onlyGivenUrls: !request.followsLinks && !request.searches && request.urls.length > 0,
  // Without URLs there is nothing to read but what a search finds.
  searches: request.searches || request.urls.length === 0,
  opensUrlsFirst: true,
  includesSubdomains: request.includeSubdomains,
  maxTurns: TURNS.low,
  pageCredits: pageCreditsOf(request),
  maxDocumentPages: request.maxDocumentPages,
  byRules: request.byRules,
  maxCredits: EXTRACT_MAX_CREDITS,
  pagesPerSite: request.limit,
});

/** Credits of the data that rules extract from a page. */
export const RULES_CREDITS = deterministicJson.credits ?? 0;

/**
 * The credits of a page of an extract. A page that an enhanced proxy fetches costs more, and so does data
 * that rules extract.
 */
function pageCreditsOf({ proxy, byRules }: ExtractTaskRequest): AgentTask['pageCredits'] {
  const data = byRules ? RULES_CREDITS : 0;
  const isEnhanced = proxy === 'enhanced' || proxy === 'stealth';
  const least = (isEnhanced ? ENHANCED_PAGE : PAGE) + data;
  return { least, most: (proxy === 'basic' ? PAGE : ENHANCED_PAGE) + data };
}

const isSite = (url: string) => url.endsWith('/*');
