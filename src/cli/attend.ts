import type { Progress } from '../embedded/progress.ts';
import { messageOf } from '../errors.ts';
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

/** What a command needs to follow and cancel jobs of one kind. */
export interface Session {
  /** The job kind, as named in messages. */
  noun: 'crawl' | 'batch';
  /** The API path of a job's status. */
  pathOf(id: string): string;
  target: Target;
  progress: Progress;
  interrupt: Interrupt;
}

/**
 * Follows a job to its end, writes its documents, prints a summary, and sets the exit code. The job is cancelled when the
 * user interrupts the command or the results can no longer be written.
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
  // After an interrupt, the failure of the last request does not matter.
  if (!head && !stop.aborted) {
    progress.note(`The ${noun} ${id} continues, but this command no longer follows it.`);
    throw fault;
  }
  if (head && !results.gone.aborted) await tellEnd(session, id, head);
  if (interrupt.signal.aborted) process.exitCode = 130;
  else if (head && head.status !== 'completed' && !results.gone.aborted) process.exitCode = 1;
}

/** Cancels a job and prints that it did. */
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
        `The ${session.noun} ${id} could not be cancelled and continues: ${messageOf(error)}`,
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
          // Results on the same terminal must not be mixed with the progress line.
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
