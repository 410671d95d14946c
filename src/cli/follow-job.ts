import { messageOf } from '../errors.ts';
import type { PageJobNoun } from '../job-kinds.ts';
import type { Progress } from '../run/embedded/terminal-progress.ts';
import type { PageJobHead } from '../schemas/page-job.ts';
import { sendRequest } from './api-client.ts';
import type { ServiceConnection } from './connection.ts';
import { readFailedPages, streamDocuments } from './document-stream.ts';
import type { Interrupt } from './interrupt.ts';
import { formatDuration, ProgressLine } from './progress-line.ts';
import { type ReconnectOptions, retryWhileUnreachable } from './reconnect.ts';
import type { ResultWriter } from './result-writer.ts';

const CANCEL_TIMEOUT_MS = 10_000;
const MAX_LISTED_FAILURES = 10;

/** How the summary says that a job ended. */
const OUTCOMES = { completed: 'is completed', failed: 'has failed', cancelled: 'was cancelled' } as const;

/**
 * The connection, progress output and abort signals with which a command follows and cancels jobs of one
 * kind.
 */
export interface JobSession {
  /** The job kind, as named in messages. */
  noun: PageJobNoun;
  /** The API path of a job's status. */
  pathOf(id: string): string;
  target: ServiceConnection;
  progress: Progress;
  interrupt: Interrupt;
}

/**
 * Follows a job to its end, writes its documents, prints a summary, and sets the exit code. The job is
 * cancelled when the user interrupts the command or the results can no longer be written.
 */
export async function followJob(session: JobSession, id: string, results: ResultWriter): Promise<void> {
  const { noun, progress, interrupt } = session;
  const stop = AbortSignal.any([interrupt.signal, results.gone]);
  const canceller = cancelOn(stop, session, id);
  let head: PageJobHead | undefined;
  let failure: unknown;
  try {
    head = await followWithProgressLine(session, id, { results, stop, giveUp: canceller.failed });
  } catch (error) {
    failure = error;
  }
  await canceller.done();
  await results.end(head ?? { success: false, error: messageOf(failure) });
  // After an interrupt, the failure of the last request does not matter.
  if (!head && !stop.aborted) {
    progress.note(`The ${noun} ${id} continues, but this command no longer follows it.`);
    throw failure;
  }
  if (head && !results.gone.aborted) await printSummary(session, id, head);
  if (interrupt.signal.aborted) process.exitCode = 130;
  else if (head && !isSuccess(head) && !results.gone.aborted) process.exitCode = 1;
}

/** Whether a job is completed and has a document, unless it had no page at all. */
const isSuccess = ({ status, total, completed }: PageJobHead) =>
  status === 'completed' && (completed > 0 || total === 0);

/** Cancels a job and prints that it did, or that the job had ended before. */
export async function requestCancellation(session: JobSession, id: string): Promise<void> {
  const { target, interrupt, noun, progress, pathOf } = session;
  const options = { ...reconnectOptions(session), timeoutMs: CANCEL_TIMEOUT_MS };
  const { status } = await retryWhileUnreachable(
    () => sendRequest(target, { method: 'DELETE', path: pathOf(id) }, interrupt.kill),
    options,
  );
  progress.note(
    status === 'cancelled' ? `Cancelled the ${noun} ${id}.` : `The ${noun} ${id} had already ${status}.`,
  );
}

function cancelOn(stop: AbortSignal, session: JobSession, id: string) {
  const failed = new AbortController();
  let cancelling: Promise<void> | undefined;
  const cancel = () => {
    cancelling = requestCancellation(session, id).catch((error) => {
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

function followWithProgressLine(
  { noun, target, progress, pathOf }: JobSession,
  id: string,
  { results, stop, giveUp }: { results: ResultWriter; stop: AbortSignal; giveUp: AbortSignal },
): Promise<PageJobHead> {
  const progressLine = new ProgressLine();
  const label = noun === 'crawl' ? 'Crawling' : 'Scraping';
  return progress.live(
    (columns) => `${label} ${progressLine.text(columns && columns - label.length - 1)}`,
    (line) =>
      streamDocuments({
        target,
        path: pathOf(id),
        note: progress.note,
        stop,
        giveUp: AbortSignal.any([giveUp, results.gone]),
        onProgress: (jobProgress) => progressLine.update(jobProgress),
        onDocument(json) {
          // Results on the same terminal must not be mixed with the progress line.
          if (process.stdout.isTTY) line.hide();
          return results.add(json);
        },
      }),
  );
}

async function printSummary(session: JobSession, id: string, head: PageJobHead): Promise<void> {
  const { target, progress, noun, interrupt, pathOf } = session;
  const { status, total, completed, creditsUsed, duration: seconds, warning, error } = head;
  if (status === 'scraping') return;
  const time = seconds === undefined ? '' : ` after ${formatDuration(seconds)}`;
  progress.note(
    `The ${noun} ${id} ${OUTCOMES[status]}${time}: ${completed} of ${total} pages, ${creditsUsed} credits.`,
  );
  const failed = total - completed;
  if (failed > 0) {
    const path = pathOf(id);
    const read = () =>
      readFailedPages({ target, path, limit: Math.min(failed, MAX_LISTED_FAILURES) }, interrupt.kill);
    const failures = await retryWhileUnreachable(read, reconnectOptions(session));
    progress.note(`${failed} ${failed === 1 ? 'page' : 'pages'} without a document:`);
    for (const { url, code, error: reason } of failures) progress.note(`  ${code ?? ''} ${url}: ${reason}`);
    if (failed > failures.length) progress.note(`  … ${target.url}${path}/errors lists all of them.`);
  }
  if (warning) progress.note(`Warning: ${warning}`);
  if (error) progress.note(`The ${noun} failed: ${error}`);
}

const reconnectOptions = ({ progress, interrupt }: JobSession): ReconnectOptions => ({
  note: progress.note,
  signal: interrupt.kill,
});
