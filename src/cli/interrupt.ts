import { setImmediate } from 'node:timers';

/** npm passes a Ctrl-C on that the terminal has sent to everybody already: this soon it is no second one. */
const SAME_KEY_PRESS_MS = 700;

/** What Ctrl-C, SIGTERM and a closed terminal become. */
export interface Interrupt {
  /** The first one: come to an end in order. */
  signal: AbortSignal;
  /** The second one: everything must be gone now; the process exits with 130 right after. */
  kill: AbortSignal;
}

/** @param note tells the person that the first one was heard */
export function onInterrupt(note: (text: string) => void): Interrupt {
  const end = new AbortController();
  const kill = new AbortController();
  let firstAt: number | undefined;
  const hear = () => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      note('Stopping; Ctrl-C again to kill.');
      end.abort();
    } else if (Date.now() - firstAt > SAME_KEY_PRESS_MS) {
      kill.abort();
      setImmediate(() => process.exit(130));
    }
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, hear);
  return { signal: end.signal, kill: kill.signal };
}
