import { useSignal } from '@preact/signals';
import { ApiError, type ApiRequest, send } from './api.ts';

/** What a user does in a view, by requests to the API. */
export interface Action {
  /** What the API said about the last request; empty if it took it. */
  fault: string;
  /** How many requests it took, so that the view knows when to read again. */
  count: number;
  /** Sends a request. @returns the body of the response; undefined if the API did not take it */
  run<Body>(request: ApiRequest): Promise<Body | undefined>;
}

/** Sends requests of the user, and keeps what went wrong with the last one. */
export function useAction(): Action {
  const fault = useSignal('');
  const count = useSignal(0);
  const run = async <Body>(request: ApiRequest): Promise<Body | undefined> => {
    fault.value = '';
    try {
      const { body } = await send<Body>(request);
      count.value++;
      return body;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      fault.value = error.message;
      return undefined;
    }
  };
  return { fault: fault.value, count: count.value, run };
}
