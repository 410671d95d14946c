import { signal } from '@preact/signals';
import { ApiError, type ApiResponse } from '../api.ts';
import { remember } from './history.ts';
import { type PlaygroundRequest, sendRequest } from './request.ts';

/** What was filled in, by operation. It stays while the console is open. */
export const bodies = signal<Record<string, Record<string, unknown>>>({});

/** The files that were chosen, by operation. */
export const files = signal<Record<string, File | undefined>>({});

/** What became of the last request of an operation. */
export type Outcome =
  | { state: 'waiting' }
  | { state: 'done'; response: ApiResponse<Record<string, unknown>>; sent: PlaygroundRequest }
  | { state: 'failed'; error: ApiError };

/** What became of the last request, by operation. */
export const outcomes = signal<Record<string, Outcome | undefined>>({});

/** What ends the request that an operation waits for. */
const aborters = new Map<string, AbortController>();

/** Sends a request in place of the one that its operation waits for, and remembers it. */
export async function run(request: PlaygroundRequest): Promise<void> {
  const { id } = request.operation;
  aborters.get(id)?.abort();
  const aborter = new AbortController();
  aborters.set(id, aborter);
  if (!request.file) remember(id, request.body);
  show(id, { state: 'waiting' });
  try {
    show(id, { state: 'done', response: await sendRequest(request, aborter.signal), sent: request });
  } catch (error) {
    if (aborter.signal.aborted) return;
    if (!(error instanceof ApiError)) throw error;
    show(id, { state: 'failed', error });
  }
}

/** Waits no longer for the response to a request. */
export function stopWaiting(id: string): void {
  aborters.get(id)?.abort();
  show(id, undefined);
}

function show(id: string, outcome: Outcome | undefined): void {
  outcomes.value = { ...outcomes.value, [id]: outcome };
}
