import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { readConfig } from '../../../src/config.ts';
import { workflowBundle } from '../../../src/temporal/workflow-bundle.ts';

const HISTORIES = path.join(import.meta.dirname, '..', '..', 'workflows', 'histories');

/** The events of a workflow. */
export type History = Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>;

/** The saved histories of earlier versions, by file name. */
export const savedHistories = () => readdirSync(HISTORIES);

/** The text of a saved history, as `temporal workflow show --output json` or `historyToJSON` give it. */
export const readHistory = (name: string) => readFileSync(path.join(HISTORIES, name), 'utf8');

/**
 * Ignores that a workflow does not exist yet: that of a scrape may start after its response.
 * @throws any other error again
 */
export function unlessMissing(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}

/**
 * A replay is a worker that comes and goes; its log lines are not for the test's output. Once per test file.
 */
export function silenceReplays(): void {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } },
  });
}

/**
 * Holds a history against the workflows as they are now.
 * @throws DeterminismViolationError where they differ
 */
export async function replay(history: History, workflowId: string): Promise<void> {
  const codePath = await workflowBundle(readConfig().cacheDir);
  // The type is the same before and after JSON.
  const stored = historyFromJSON(JSON.parse(historyToJSON(history)));
  await Worker.runReplayHistory({ workflowBundle: { codePath } }, stored, workflowId);
}

/**
 * Holds several histories against the workflows as they are now.
 * @param histories with their workflow ids
 * @returns the errors of those that do not replay, by workflow id
 */
export async function replayAll(
  histories: readonly (readonly [string, History])[],
): Promise<Map<string, unknown>> {
  const codePath = await workflowBundle(readConfig().cacheDir);
  const replays = histories.map(([workflowId, history]) => ({ workflowId, history }));
  const errors = new Map<string, unknown>();
  let count = 0;
  for await (const { workflowId, error } of Worker.runReplayHistories(
    { workflowBundle: { codePath } },
    replays,
  )) {
    count++;
    if (error) errors.set(workflowId, error);
  }
  if (count !== histories.length) throw new Error(`${count} of ${histories.length} histories were replayed.`);
  return errors;
}

/** Every payload of a history, decoded, in order. */
export function payloadsOf(history: History): string[] {
  const found: string[] = [];
  const search = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('data' in value && value.data instanceof Uint8Array) found.push(Buffer.from(value.data).toString());
    else for (const each of Object.values(value)) search(each);
  };
  search(history.events);
  return found;
}
