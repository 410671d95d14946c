/** A try of an engine, as `GET /v2/scrape/{id}/why` has it. */
export interface Attempt {
  engine: string;
  startMs: number;
  ms: number;
  result: string;
  because?: string;
  blockedBy?: string;
  redirects?: { url: string; by: string }[];
  url?: string;
  bytes?: number;
}

/** How a page went, as `GET /v2/scrape/{id}/why` returns it. */
export interface PageWhy {
  id: string;
  jobId: string;
  /** Id of the trace at the operator's collector. */
  traceId?: string;
  status: 'scraping' | 'completed' | 'failed';
  summary: string;
  error: { code: string; message: string } | null;
  tries?: number;
  totalMs?: number;
  cache?: { verdict: 'hit' | 'miss' | 'skipped'; ageMs?: number; because?: string };
  stages?: { stage: string; startMs: number; ms: number }[];
  waits?: { for: string; ms: number }[];
  attempts: Attempt[];
  modelCalls?: { feature: string; startMs: number; ms: number; tokens: number; result: string }[];
  documentBytes?: number;
  credits?: { rule: string; credits: number }[];
}
