import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { readConfig } from '../config.ts';
import { openProgress } from '../embedded/progress.ts';
import { findRunning } from '../embedded/run-file.ts';
import { ServiceError } from '../errors.ts';
import type { PageJobNoun } from '../job-kinds.ts';
import { attend, cancelJob, type Session } from './attend.ts';
import { onInterrupt } from './interrupt.ts';
import type { PageArgs } from './page-options.ts';
import { patiently } from './patience.ts';
import { type Answer, type ApiRequest, ask } from './request.ts';
import { openResults } from './results.ts';
import { withTarget } from './target.ts';

/** What the start of a job is given. */
export interface Starting {
  /** Posts a body to the path of the kind; sent again after a lost connection, it still starts one job. */
  post(body: unknown): Promise<Answer>;
  /** Cancels what was started already. */
  cancel(id: string): Promise<void>;
  /** Tells the person at stderr. */
  note(text: string): void;
  /** Fires when the person has had enough. */
  signal: AbortSignal;
}

/** A verb that starts a job with many pages. */
export interface PageJobVerb {
  /** As in messages. */
  noun: PageJobNoun;
  /** Where jobs of the kind are started; below it are their statuses. */
  path: string;
  given: PageArgs;
  /** @returns the job's id */
  start(starting: Starting): Promise<string>;
}

/** Starts a job and follows it to its end, its documents as results; sets the exit code. */
export async function runPageJob(verb: PageJobVerb): Promise<void> {
  const { output, json = false, detach = false } = verb.given;
  if (detach && (output !== undefined || json)) {
    throw new ServiceError(
      'BAD_REQUEST',
      '--detach leaves before there are results: drop --output and --json.',
    );
  }
  const config = readConfig();
  const results = detach ? undefined : await openResults({ file: output, whole: json });
  const progress = openProgress();
  const interrupt = onInterrupt(progress.note);
  await withTarget({ config, progress, interrupt }, async (target) => {
    const { noun, path } = verb;
    const session: Session = { target, progress, interrupt, noun, pathOf: (id) => `${path}/${id}` };
    const id = await verb.start(startingOf(session, path));
    if (results) await attend(session, id, results);
    else process.stdout.write(`${id}\n`);
  });
  if (detach && !findRunning(resolve(config.dataDir))) {
    progress.note('Winnow ran for this command only: the job goes on when it is started, with `npm start`.');
  }
}

function startingOf(session: Session, path: string): Starting {
  const { target, progress, interrupt } = session;
  return {
    cancel: (id) => cancelJob(session, id),
    note: progress.note,
    signal: interrupt.signal,
    post(body) {
      const request: ApiRequest = { method: 'POST', path, body, idempotencyKey: randomUUID() };
      // Not called off by an interrupt: without its answer there is no id to cancel.
      return patiently(() => ask(target, request, interrupt.kill), {
        note: progress.note,
        signal: interrupt.signal,
      });
    },
  };
}
