import { ServiceError } from '../../errors.ts';
import type { Reading, RouteCall, RouteResponse } from './route-call.ts';

type Call = (call: RouteCall) => Promise<RouteResponse>;

/** How far a job is, as notifications of progress say it. */
export interface JobProgress {
  done: number;
  /** Absent if it is not known. */
  total?: number;
  message: string;
}

/** A kind of job that a tool starts, and that takes longer than a request. */
export interface JobType {
  kind: 'crawl' | 'extract' | 'agent';
  /** Whether a call waits for the end of the job, as far as its client does. */
  waits: boolean;
  /** Reads the state, without the documents. */
  state: (id: string, call: Call) => Promise<RouteResponse>;
  /** Reads the state with the result so far. */
  result: (id: string, call: Call) => Promise<RouteResponse>;
  /** How the result is read again in parts. */
  readAgain: (result: RouteResponse) => Reading;
  cancel: (id: string, call: Call) => Promise<unknown>;
  progressOf: (state: RouteResponse) => JobProgress;
}

const numberOf = (value: unknown) => (typeof value === 'number' ? value : 0);

/** The job of `firecrawl_crawl`. */
export const crawlJob: JobType = {
  kind: 'crawl',
  waits: true,
  async state(id, call) {
    // The first document is read as well, because a status without any waits for the next one.
    const { data: _, ...state } = await call({
      method: 'get',
      path: '/v2/crawl/:id',
      params: { id },
      query: { limit: 1 },
    });
    return { id, ...state };
  },
  async result(id, call) {
    return { id, ...(await call({ method: 'get', path: '/v2/crawl/:id', params: { id } })) };
  },
  readAgain: ({ id }) => ({ path: '/v2/crawl/:id', params: { id: String(id) }, extra: { id } }),
  cancel: (id, call) => call({ method: 'delete', path: '/v2/crawl/:id', params: { id } }),
  progressOf({ completed, failed, total, status }) {
    const done = numberOf(completed) + numberOf(failed);
    return { done, total: Math.max(done, numberOf(total)), message: `${done} pages, ${String(status)}` };
  },
};

const runProgress = ({ creditsUsed, status }: RouteResponse): JobProgress => ({
  done: numberOf(creditsUsed),
  message: `${numberOf(creditsUsed)} credits used, ${String(status)}`,
});

const cancelRun = (id: string, call: Call) =>
  call({ method: 'delete', path: '/v2/agent/:id', params: { id } });

/** The job of `firecrawl_extract`. */
export const extractJob: JobType = {
  kind: 'extract',
  waits: true,
  state: readExtract,
  result: readExtract,
  readAgain: readRunAgain,
  cancel: cancelRun,
  progressOf: runProgress,
};

/** The job of `firecrawl_agent`. */
export const agentJob: JobType = {
  kind: 'agent',
  // Agents work for minutes, and prompts for this tool say that its id comes at once.
  waits: false,
  state: readAgent,
  result: readAgent,
  readAgain: readRunAgain,
  cancel: cancelRun,
  progressOf: runProgress,
};

function readExtract(id: string, call: Call): Promise<RouteResponse> {
  return call({ method: 'get', path: '/v2/extract/:id', params: { id } });
}

function readAgent(id: string, call: Call): Promise<RouteResponse> {
  return call({ method: 'get', path: '/v2/agent/:id', params: { id } });
}

/** How the result of an agent, which names its model, or of an extract is read again. */
export function readRunAgain({ id, model }: RouteResponse): Reading {
  const path = model === undefined ? '/v2/extract/:id' : '/v2/agent/:id';
  return { path, params: { id: String(id) } };
}

/** Reads an agent, or an extract, by its id. */
export async function readRun(id: string, call: Call): Promise<RouteResponse> {
  try {
    return await readAgent(id, call);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return readExtract(id, call);
    throw error;
  }
}
