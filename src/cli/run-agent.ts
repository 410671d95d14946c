import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeMalformedJson } from '../api/http/malformed-json.ts';
import { readConfig } from '../config.ts';
import { messageOf, ServiceError } from '../errors.ts';
import { TerminalProgress } from '../run/embedded/terminal-progress.ts';
import { type ApiResponse, postJson, sendRequest } from './api-client.ts';
import { type ServiceConnection, withConnection } from './connection.ts';
import { onInterrupt } from './interrupt.ts';
import { requireWritable, writeResult } from './output-file.ts';

const POLL_MS = 1_000;

/** The options that `agent` and `extract` have in common. */
export const runArguments = {
  schema: {
    type: 'string',
    valueHint: 'json|file',
    description: 'JSON Schema of the result, or a file with it',
  },
  output: { type: 'string', alias: 'o', valueHint: 'file', description: 'write the result to this file' },
  json: { type: 'boolean', description: 'print the whole response' },
} as const;

/** A run of an agent or extract from the command line. */
interface AgentRun {
  path: '/v2/agent' | '/v2/extract';
  /** The name of the step that is shown while it runs. */
  name: string;
  body: object;
  output: string | undefined;
  json: boolean | undefined;
}

/**
 * Starts an agent or extract, waits for its end and prints its data. Ctrl-C cancels an agent.
 * @throws ServiceError `SCRAPE_JOB_CANCELLED` with the reason if it has no result
 */
export async function runAgent({ path, name, body, output, json }: AgentRun): Promise<void> {
  requireWritable(output);
  const config = readConfig();
  const progress = new TerminalProgress();
  const interrupt = onInterrupt(progress.note);
  const status = await withConnection({ config, progress, interrupt }, (target) =>
    progress.step(name, async () => {
      const { id } = await postJson(target, path, { ...body, origin: 'cli' }, interrupt.signal);
      return untilEnd(target, `${path}/${id}`, { signal: interrupt.signal, cancels: path === '/v2/agent' });
    }),
  );
  if (typeof status.warning === 'string') progress.note(`Warning: ${status.warning}`);
  if (status.status !== 'completed') {
    const reason = typeof status.error === 'string' ? status.error : 'It was cancelled.';
    throw new ServiceError('SCRAPE_JOB_CANCELLED', `${name} has ${String(status.status)}: ${reason}`);
  }
  writeResult(`${JSON.stringify(json ? status : status.data, null, 2)}\n`, output);
}

async function untilEnd(
  target: ServiceConnection,
  path: string,
  { signal, cancels }: { signal: AbortSignal; cancels: boolean },
): Promise<ApiResponse> {
  try {
    for (;;) {
      const status = await sendRequest(target, { method: 'GET', path }, signal);
      if (status.status !== 'processing') return status;
      await sleep(POLL_MS, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted || !cancels) throw error;
    await sendRequest(target, { method: 'DELETE', path }, new AbortController().signal);
    throw error;
  }
}

/**
 * Reads a JSON Schema from a file, or from the text itself.
 * @throws ServiceError `BAD_REQUEST` if the file cannot be read or is no JSON
 */
export function readSchema(file: string | undefined): unknown {
  if (file === undefined) return undefined;
  const isText = /^\s*\{/.test(file);
  try {
    return JSON.parse(isText ? file : readFileSync(file, 'utf8'));
  } catch (cause) {
    if (isText && cause instanceof Error)
      throw new ServiceError('BAD_REQUEST', `--schema is no JSON: ${describeMalformedJson(file, cause)}.`, {
        cause,
      });
    const message = `--schema ${file} cannot be used: ${messageOf(cause)}`;
    throw new ServiceError('BAD_REQUEST', message, { cause });
  }
}
