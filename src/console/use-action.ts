import { useSignal } from '@preact/signals';
import { ApiError, type ApiRequest, send } from './api.ts';

/** What a user does in a view, by requests to the API. */
export interface Action {
  /** What the API said about the last request; empty if it took it. */
  fault: string;
  /** How many requests it took, so that the view knows when to read again. */
  count: number;
  /** Sends a request. */
  run(request: ApiRequest): Promise<void>;
}

/** Sends requests of the user, and keeps what went wrong with the last one. */
export function useAction(): Action {
  const fault = useSignal('');
  const count = useSignal(0);
  const run = async (request: ApiRequest) => {
    fault.value = '';
    try {
      await send(request);
      count.value++;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      fault.value = error.message;
    }
  };
  return { fault: fault.value, count: count.value, run };
}
