import type { Progress } from '../embedded/progress.ts';
import { messageOf } from '../errors.ts';
import type { PageJobNoun } from '../job-kinds.ts';
import type { PageJobHead } from '../schemas/page-job.ts';
import { follow, readFailures } from './follow.ts';
import type { Interrupt } from './interrupt.ts';
import { duration, Pace } from './pace.ts';
import { type Patience, patiently } from './patience.ts';
import { ask } from './request.ts';
import type { Results } from './results.ts';
import type { Target } from './target.ts';

const CANCEL_MS = 10_000;
const MOST_LISTED = 10;

/** A verb's dealings with the instance, about jobs of one kind. */
export interface Session {
  /** The kind, as in messages. */
  noun: PageJobNoun;
  /** Of a job's status. */
  pathOf(id: string): string;
  target: Target;
  progress: Progress;
  interrupt: Interrupt;
}

/**
 * Follows a job to its end, writes its documents down and tells how it went; sets the exit code. The job is cancelled
 * when the person has had enough, or nobody takes the results any more.
 */
export async function attend(session: Session, id: string, results: Results): Promise<void> {
  const { noun, progress, interrupt } = session;
  const stop = AbortSignal.any([interrupt.signal, results.gone]);
  const canceller = cancelOn(stop, session, id);
  let head: PageJobHead | undefined;
  let fault: unknown;
  try {
    head = await followLive(session, id, { results, stop, giveUp: canceller.failed });
  } catch (error) {
    fault = error;
  }
  await canceller.done();
  await results.end(head ?? { success: false, error: messageOf(fault) });
  // Asked to stop, it does not matter how the last look failed.
  if (!head && !stop.aborted) {
    progress.note(`The ${noun} ${id} goes on without being followed.`);
    throw fault;
  }
  if (head && !results.gone.aborted) await tellEnd(session, id, head);
  if (interrupt.signal.aborted) process.exitCode = 130;
  else if (head && head.status !== 'completed' && !results.gone.aborted) process.exitCode = 1;
}

/** Cancels a job and says so. */
export async function cancelJob(session: Session, id: string): Promise<void> {
  const { target, interrupt, noun, progress, pathOf } = session;
  const patience = { ...patienceOf(session), longestMs: CANCEL_MS };
  await patiently(() => ask(target, { method: 'DELETE', path: pathOf(id) }, interrupt.kill), patience);
  progress.note(`Cancelled the ${noun} ${id}.`);
}

function cancelOn(stop: AbortSignal, session: Session, id: string) {
  const failed = new AbortController();
  let cancelling: Promise<void> | undefined;
  const cancel = () => {
    cancelling = cancelJob(session, id).catch((error) => {
      session.progress.note(
        `The ${session.noun} ${id} could not be cancelled and goes on: ${messageOf(error)}`,
      );
      failed.abort();
    });
  };
  if (stop.aborted) cancel();
  else stop.addEventListener('abort', cancel, { once: true });
  return { failed: failed.signal, done: async () => cancelling };
}

function followLive(
  { noun, target, progress, pathOf }: Session,
  id: string,
  { results, stop, giveUp }: { results: Results; stop: AbortSignal; giveUp: AbortSignal },
): Promise<PageJobHead> {
  const pace = new Pace();
  const what = noun === 'crawl' ? 'Crawling' : 'Scraping';
  return progress.live(
    (columns) => `${what} ${pace.text(columns && columns - what.length - 1)}`,
    (line) =>
      follow({
        ...{ target, path: pathOf(id), note: progress.note, stop },
        giveUp: AbortSignal.any([giveUp, results.gone]),
        onStanding: (standing) => pace.see(standing),
        onDocument(json) {
          // On one terminal with the results, the line must not stand in their way.
          if (process.stdout.isTTY) line.hide();
          return results.add(json);
        },
      }),
  );
}

async function tellEnd(session: Session, id: string, head: PageJobHead): Promise<void> {
  const { target, progress, noun, interrupt, pathOf } = session;
  const { status, total, completed, creditsUsed, duration: seconds, warning, error } = head;
  if (status === 'scraping') return;
  const time = seconds === undefined ? '' : ` in ${duration(seconds)}`;
  progress.note(
    `The ${noun} ${id} is ${status}${time}: ${completed} of ${total} pages, ${creditsUsed} credits.`,
  );
  const failed = total - completed;
  if (failed > 0) {
    const path = pathOf(id);
    const read = () => readFailures({ target, path, most: Math.min(failed, MOST_LISTED) }, interrupt.kill);
    const failures = await patiently(read, patienceOf(session));
    progress.note(`${failed} ${failed === 1 ? 'page' : 'pages'} without a document:`);
    for (const { url, code, error: reason } of failures) progress.note(`  ${code ?? ''} ${url}: ${reason}`);
    if (failed > failures.length) progress.note(`  … all are at ${target.url}${path}/errors`);
  }
  if (warning) progress.note(`Warning: ${warning}`);
  if (error) progress.note(`It failed: ${error}`);
}

const patienceOf = ({ progress, interrupt }: Session): Patience => ({
  note: progress.note,
  signal: interrupt.kill,
});
