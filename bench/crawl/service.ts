import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { pageJobStatus, startResponse } from '../../src/schemas/page-job.ts';
import { type RunningService, runFileOf, startService } from '../../test/support/service/start-service.ts';

/** The service, started for the benchmark. */
export interface MeasuredService {
  instance: RunningService;
  /** Process ids by role; their child processes count as well. */
  roots: Record<string, number>;
  /** `host:port` of its Temporal server. */
  temporalAddress: string;
}

/** Starts the service with the options of {@link startService}. */
export async function startMeasuredService(
  options: { dataDir?: string; env?: Record<string, string>; within?: string[] } = {},
): Promise<MeasuredService> {
  const instance = await startService({ ...options, env: { LOG_LEVEL: 'warn', ...options.env } });
  const { pid, children, urls } = runFileOf(instance);
  const parts = Object.entries(children).map(([name, child]) => [name, child.pid] as const);
  return {
    instance,
    roots: { supervisor: pid, ...Object.fromEntries(parts) },
    temporalAddress: urls.temporal!,
  };
}

/** The API and the team that a request is made for. */
export interface Caller {
  url: string;
  key: string;
}

/** A request to the API: a GET, or a POST if it has a body. */
export interface Ask<Answer> {
  path: string;
  method?: 'DELETE';
  body?: unknown;
  answer: z.ZodType<Answer>;
}

/** Sends a request. @throws Error with the response if it is not successful */
export async function ask<Answer>(
  { url, key }: Caller,
  { path, method, body, answer }: Ask<Answer>,
): Promise<Answer> {
  const response = await fetch(new URL(path, url), {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return answer.parse(await response.json());
}

/** A batch or crawl, as the path of its status. */
export type JobPath = string;

export async function startJob(
  caller: Caller,
  path: '/v2/crawl' | '/v2/batch/scrape',
  body: unknown,
): Promise<JobPath> {
  const { id } = await ask(caller, { path, body, answer: startResponse });
  return `${path}/${id}`;
}

const head = pageJobStatus.omit({ data: true });

/** Reads the status of a job with as few documents as possible. */
export const readHead = (caller: Caller, path: JobPath) =>
  ask(caller, { path: `${path}?limit=1`, answer: head });

/**
 * Scrapes a batch, and waits for its end.
 * @param lookMs pause between two looks at its status, each of which takes the API CPU time
 * @returns its last status
 * @throws Error if a page is missing
 */
export async function runBatch(
  caller: Caller,
  body: { urls: string[]; maxAge?: number; archive?: boolean },
  lookMs: number,
) {
  const job = await startJob(caller, '/v2/batch/scrape', body);
  for (;;) {
    const status = await readHead(caller, job);
    if (status.status === 'completed' && status.completed === body.urls.length) return status;
    if (status.status !== 'scraping')
      throw new Error(`${job} is ${status.status} with ${status.completed} of ${body.urls.length} pages`);
    await sleep(lookMs);
  }
}

const usage = z.object({ periods: z.array(z.object({ creditsUsed: z.number() })) });

/** The sum of all ledger entries of the caller's team. */
export async function sumLedger(caller: Caller): Promise<number> {
  const { periods } = await ask(caller, { path: '/v2/team/credit-usage/historical', answer: usage });
  return periods.reduce((sum, { creditsUsed }) => sum + creditsUsed, 0);
}
