import { pause } from '../pause.ts';
import type { PageJobHead } from '../schemas/page-job.ts';
import type { Standing } from './pace.ts';
import { patiently } from './patience.ts';
import { askForList } from './request.ts';
import type { Target } from './target.ts';

/** Between two looks at a job that runs. */
const LOOK_MS = 500;
const PAGE = 1_000;

/** A batch or crawl that was started, and what is done about it. */
export interface FollowedJob {
  target: Target;
  /** Of its status. */
  path: string;
  /** Hears of lost connections. */
  note(text: string): void;
  /** Fires when the job is to be cancelled; what there is until then is still read. */
  stop: AbortSignal;
  /** Ends the following at once. */
  giveUp: AbortSignal;
  /** Takes the next document, as JSON. */
  onDocument(json: string): Promise<void>;
  /** Hears about twice a second how it stands. */
  onStanding(standing: Standing): void;
}

/**
 * Follows a job to its end, document by document.
 *
 * A request for what is not there yet is held by the service, and says nothing of the job meanwhile. So every look
 * asks for the last known document and all behind it: one that is there is never held.
 * @returns the last status that was read
 */
export async function follow(job: FollowedJob): Promise<PageJobHead> {
  let seen = 0;
  const take = async (json: string) => {
    await job.onDocument(json);
    seen++;
  };
  for (let isBehind = false; ; ) {
    const startedAt = performance.now();
    const before = seen;
    const known = isBehind ? 0 : 1;
    const look = async () => {
      const head = await readFrom(job, { skip: Math.max(0, seen - known), seen, take });
      job.onStanding(head);
      return head;
    };
    const head = await patiently(look, { note: job.note, signal: job.stop });
    isBehind = head.completed > seen;

    // Behind, and yet there was nothing new: only the known document may have taken up the whole answer.
    const isRead = !isBehind || (known === 0 && seen === before);
    if (job.giveUp.aborted || (isRead && head.status !== 'scraping')) return head;
    if (isRead) await pause(LOOK_MS - (performance.now() - startedAt), job.giveUp);
  }
}

/** One look: the documents behind `skip`, without those that were seen, and the status. */
async function readFrom(
  { target, path, giveUp }: FollowedJob,
  { skip, seen, take }: { skip: number; seen: number; take(json: string): Promise<void> },
): Promise<PageJobHead> {
  const query = `limit=${PAGE}${skip ? `&skip=${skip}` : ''}`;
  const documents = askForList(target, { path: `${path}?${query}`, field: 'data' }, giveUp);
  for (let position = skip; ; position++) {
    const { done, value } = await documents.next();
    if (done) {
      const { data: _, ...head } = value;
      // The service is of this very version: it answers as its schema says.
      return head as unknown as PageJobHead;
    }
    if (position >= seen) await take(value);
  }
}

/** A page without a document. */
export interface Failure {
  url: string;
  code?: string;
  error: string;
}

/** The first failed pages of a job; the rest of a long list is not read. */
export async function readFailures(
  { target, path, most }: { target: Target; path: string; most: number },
  signal: AbortSignal,
): Promise<Failure[]> {
  const failures: Failure[] = [];
  for await (const json of askForList(target, { path: `${path}/errors`, field: 'errors' }, signal)) {
    failures.push(JSON.parse(json));
    if (failures.length >= most) break;
  }
  return failures;
}
