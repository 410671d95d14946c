import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { commandOf, readConfig } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { PageJobNoun } from '../job-kinds.ts';
import { findRunningInstance } from '../run/embedded/supervision/run-file.ts';
import { TerminalProgress } from '../run/embedded/terminal-progress.ts';
import { type ApiRequest, type ApiResponse, sendRequest } from './api-client.ts';
import { withConnection } from './connection.ts';
import { followJob, type JobSession, requestCancellation } from './follow-job.ts';
import { onInterrupt } from './interrupt.ts';
import type { PageArgs } from './page-arguments.ts';
import { retryWhileUnreachable } from './reconnect.ts';
import { openResultWriter } from './result-writer.ts';

/** The functions with which a command starts its job. */
export interface JobStarter {
  /**
   * Posts a body to the command's path. After a lost connection it is sent again and still starts only one
   * job.
   */
  post(body: unknown): Promise<ApiResponse>;
  /** Cancels a job that was already started. */
  cancel(id: string): Promise<void>;
  /** Prints a message on stderr. */
  note(text: string): void;
  /** Aborted when the user interrupts the command. */
  signal: AbortSignal;
}

/** A command that starts a job with many pages. */
export interface PageJobCommand {
  /** The job kind, as named in messages. */
  noun: PageJobNoun;
  /** The API path that starts jobs; the status of a job is below it. */
  path: string;
  args: PageArgs;
  /** @returns the job's id */
  start(starter: JobStarter): Promise<string>;
}

/** Starts a job, follows it to its end, writes its documents, and sets the exit code. */
export async function runPageJobCommand(command: PageJobCommand): Promise<void> {
  const { output, json = false, detach = false } = command.args;
  if (detach && (output !== undefined || json)) {
    throw new ServiceError(
      'BAD_REQUEST',
      '--detach exits before there are results, so it cannot be combined with --output or --json.',
    );
  }
  const config = readConfig();
  const results = detach ? undefined : await openResultWriter({ file: output, asOneObject: json });
  const progress = new TerminalProgress();
  const interrupt = onInterrupt(progress.note);
  await withConnection({ config, progress, interrupt }, async (target) => {
    const { noun, path } = command;
    const session: JobSession = { target, progress, interrupt, noun, pathOf: (id) => `${path}/${id}` };
    const id = await command.start(createJobStarter(session, path));
    if (results) await followJob(session, id, results);
    else process.stdout.write(`${id}\n`);
  });
  if (detach && config.serviceUrl === undefined && !findRunningInstance(resolve(config.dataDir))) {
    progress.note(
      `Winnow ran only for this command: the job continues when you start Winnow with \`${commandOf('up')}\`.`,
    );
  }
}

function createJobStarter(session: JobSession, path: string): JobStarter {
  const { target, progress, interrupt } = session;
  return {
    cancel: (id) => requestCancellation(session, id),
    note: progress.note,
    signal: interrupt.signal,
    async post(body) {
      const request: ApiRequest = { method: 'POST', path, body, idempotencyKey: randomUUID() };
      // An interrupt does not abort the request: without its response there is no job id to cancel.
      const response = await retryWhileUnreachable(() => sendRequest(target, request, interrupt.kill), {
        note: progress.note,
        signal: interrupt.signal,
      });
      if (typeof response.warning === 'string') progress.note(`Warning: ${response.warning}`);
      return response;
    },
  };
}
