import { pollUntil } from '../suite/poll.ts';
import { type ApiResponse, call } from './call.ts';

type Body = ApiResponse['body'];
type Options = { key?: string; url?: string };

/**
 * Starts a batch or crawl, by default of the shared service.
 * @returns its id
 * @throws Error unless the API accepts it
 */
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

/** Reads the status of a job until it fulfils a condition. @returns that status */
export function untilStatus(
  path: string,
  isWanted: (body: Body) => boolean,
  options: Options = {},
): Promise<Body> {
  return pollUntil(async () => {
    const { body } = await call(path, options);
    return isWanted(body) && body;
  });
}

/**
 * Reads the first page of a job's status until the job has ended.
 * @throws Error when the counters go backwards or exceed the total meanwhile
 */
export async function finished(path: string, id: string, options: Options = {}): Promise<Body> {
  let last = { total: 0, completed: 0 };
  return untilStatus(
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

/** The requested URLs of the documents of a status, sorted. */
export const sourcesOf = (body: Body): string[] =>
  body.data.map((each: Body) => each.metadata.sourceURL as string).sort();
