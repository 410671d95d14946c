import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, call } from './api.ts';

type Body = Answer['body'];
type Options = { key?: string; url?: string };

/** Starts a batch or crawl of the shared instance and expects that to work. @returns its id */
export async function startJob(
  path: string,
  body: Record<string, unknown>,
  options: Options = {},
): Promise<string> {
  const answer = await call(path, { body, ...options });
  if (answer.status !== 200)
    throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body.id;
}

/** Reads a status until it says what is wanted. */
export async function until(
  path: string,
  wanted: (body: Body) => boolean,
  options: Options = {},
): Promise<Body> {
  for (;;) {
    const { body } = await call(path, options);
    if (wanted(body)) return body;
    await sleep(50);
  }
}

/** Reads a job's first page of status until it has ended; its counters must add up all the while. */
export async function finished(path: string, id: string, options: Options = {}): Promise<Body> {
  let last = { total: 0, completed: 0 };
  return until(
    `${path}/${id}`,
    (body) => {
      if (body.completed < last.completed || body.total < body.completed) {
        throw new Error(
          `the counters went wrong: ${JSON.stringify(last)}, then ${body.total}, ${body.completed}`,
        );
      }
      last = body;
      return body.status !== 'scraping';
    },
    options,
  );
}

/** Addresses of the documents of a status, sorted. */
export const sourcesOf = (body: Body): string[] =>
  body.data.map((each: Body) => each.metadata.sourceURL as string).sort();
