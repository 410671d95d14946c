import { readConfig } from '../config.ts';
import { TerminalProgress } from '../run/embedded/terminal-progress.ts';
import { type ApiRequest, type ApiResponse, sendRequest } from './api-client.ts';
import { withRunningInstance } from './connection.ts';
import { onInterrupt } from './interrupt.ts';

/** How work sends its requests to the service. */
export interface ServiceRequests {
  send: (request: ApiRequest) => Promise<ApiResponse>;
  /** Aborted when the user interrupts the command. */
  signal: AbortSignal;
}

/**
 * Runs work that sends requests to a service that runs, and shows a text meanwhile. None is started, because what
 * such a command starts would end with it.
 * @throws ServiceError `SERVICE_UNAVAILABLE` if none runs
 */
export async function withRunningService<T>(
  text: string,
  work: (service: ServiceRequests) => Promise<T>,
): Promise<T> {
  const progress = new TerminalProgress();
  const interrupt = onInterrupt(progress.note);
  const { signal } = interrupt;
  return withRunningInstance({ config: readConfig(), progress, interrupt }, (target) =>
    progress.step(text, () => work({ send: (request) => sendRequest(target, request, signal), signal })),
  );
}

/** Sends one request; see {@link withRunningService}. */
export const askRunningService = (text: string, request: ApiRequest): Promise<ApiResponse> =>
  withRunningService(text, ({ send }) => send(request));
