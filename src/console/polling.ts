import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from './api.ts';

/** What a view has read so far, and what went wrong last. */
export interface Polled<Value> {
  value: Value | undefined;
  error: ApiError | undefined;
}

/** How long after a failure the next try begins, in milliseconds. */
const RETRY_MS = 2000;

/**
 * Reads something again and again while a view is open and visible. After a failure, it tries again, and
 * keeps the last value.
 * @param read reads it
 * @param pauseMs milliseconds between two reads, by the value; undefined to end
 * @param key a change begins anew
 * @param round a change reads again, and keeps the last value meanwhile
 */
export function usePolling<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  pauseMs: (value: Value) => number | undefined,
  key: string,
  round = 0,
): Polled<Value> {
  const [state, setState] = useState<Polled<Value> & { key: string }>({
    key,
    value: undefined,
    error: undefined,
  });
  useEffect(() => {
    const aborter = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const poll = async () => {
      if (document.hidden) {
        document.addEventListener('visibilitychange', poll, { once: true, signal: aborter.signal });
        return;
      }
      try {
        const value = await read(aborter.signal);
        if (aborter.signal.aborted) return;
        setState({ key, value, error: undefined });
        const ms = pauseMs(value);
        if (ms !== undefined) timer = setTimeout(poll, ms);
      } catch (error) {
        if (aborter.signal.aborted) return;
        if (!(error instanceof ApiError)) throw error;
        setState((before) => ({ key, value: before.key === key ? before.value : undefined, error }));
        if (error.status === 0 || error.status >= 429) timer = setTimeout(poll, RETRY_MS);
      }
    };
    void poll();
    return () => {
      aborter.abort();
      clearTimeout(timer);
    };
  }, [key, round]);
  return state.key === key ? state : { value: undefined, error: undefined };
}

/** Keeps what was read for as long as the next reading has not come, so that nothing vanishes meanwhile. */
export function useLast<Value>(value: Value | undefined): Value | undefined {
  const last = useRef(value);
  if (value !== undefined) last.current = value;
  return last.current;
}
