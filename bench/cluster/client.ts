import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../src/errors.ts';
import type { Cluster } from './start.ts';

const POLL_MS = 50;
const GIVE_UP_MS = 120_000;

/**
 * Asks until the answer is another than 503: in the first seconds of its life a cluster refuses, because Temporal does
 * not know yet the attributes that our workflows are found by.
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

/** A scrape as a client would have it that loses its connection: then it reads the job, through any API that answers. */
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

/** The result of the scrape of an address; `undefined` while there is none, or nobody answers. */
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
    return undefined; // This API, or what it stands on, is the part that was killed.
  }
}

/** One request to one of the APIs, with the key of the first team. */
export async function call(
  { urls, key }: Cluster,
  api: number,
  path: string,
  body?: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: it reads answers as a client without types does
): Promise<{ status: number; body: any }> {
  const response = await fetch(urls[api] + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}
