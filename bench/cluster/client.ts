import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../src/errors.ts';
import type { Cluster } from './start.ts';

const POLL_MS = 50;
const GIVE_UP_MS = 120_000;

/**
 * Repeats a scrape until the response is not 503. A cluster refuses requests in its first seconds, until
 * Temporal knows the search attributes of the workflows.
 * @returns how often it refused
 */
export async function untilAccepted(cluster: Cluster, api: number, url: string): Promise<number> {
  const deadline = Date.now() + GIVE_UP_MS;
  for (let refusals = 0; ; refusals++) {
    const { status, body } = await call(cluster, api, '/v2/scrape', { url });
    if (status === 200) return refusals;
    if (status !== 503 || Date.now() > deadline) throw new Error(`${url}: ${status} ${body.error}`);
    await sleep(POLL_MS);
  }
}

/** Scrapes a page. If the connection breaks, reads the job through any API that responds. */
export async function scrape(
  cluster: Cluster,
  api: number,
  url: string,
): Promise<{ markdown: string; how: string }> {
  let lost: string;
  try {
    const { status, body } = await call(cluster, api, '/v2/scrape', { url, timeout: GIVE_UP_MS });
    if (status === 200) return { markdown: body.data.markdown, how: 'in the answer' };
    lost = `status ${status} ${body.code}`;
  } catch (error) {
    lost = messageOf(error);
  }
  const deadline = Date.now() + GIVE_UP_MS;
  for (let other = api + 1; Date.now() < deadline; other++) {
    await sleep(POLL_MS);
    const job = await readJob(cluster, other % cluster.urls.length, url);
    if (job) return { markdown: job.markdown, how: `read from the job after: ${lost}` };
  }
  throw new Error(`${lost}; and no job of it ended well within ${GIVE_UP_MS / 1000} s`);
}

/** The result of the scrape of a URL; `undefined` if there is none yet, or the API does not respond. */
async function readJob(
  cluster: Cluster,
  api: number,
  url: string,
): Promise<{ markdown: string } | undefined> {
  try {
    const activity = await call(cluster, api, '/v2/team/activity');
    const job = activity.body.data?.find(({ target }: { target: string }) => target === url);
    const { body } = await call(cluster, api, `/v2/scrape/${job?.id}`);
    return body.status === 'completed' ? body.data : undefined;
  } catch {
    return undefined; // The API, or a process that it depends on, was killed.
  }
}

/** Sends one request to one of the APIs, with the key of the first team. */
export async function call(
  { urls, key }: Cluster,
  api: number,
  path: string,
  body?: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: responses are read without types, as many clients do
): Promise<{ status: number; body: any }> {
  const response = await fetch(urls[api] + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}
