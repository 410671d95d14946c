import { setImmediate } from 'node:timers';

/**
 * npm forwards a Ctrl-C that the terminal has already sent, so a second signal this soon (in ms) is ignored.
 */
const SAME_KEY_PRESS_MS = 700;

/** Abort signals for Ctrl-C, SIGTERM and a closed terminal. */
export interface Interrupt {
  /** Aborted by the first signal: shut down in order. */
  signal: AbortSignal;
  /** Aborted by the second signal: the process exits with code 130 immediately. */
  kill: AbortSignal;
}

/** Installs the signal handlers. @param note prints a message at the first signal */
export function onInterrupt(note: (text: string) => void): Interrupt {
  const end = new AbortController();
  const kill = new AbortController();
  let firstAt: number | undefined;
  const handleSignal = () => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      note('Stopping. Press Ctrl-C again to exit immediately.');
      end.abort();
    } else if (Date.now() - firstAt > SAME_KEY_PRESS_MS) {
      kill.abort();
      setImmediate(() => process.exit(130));
    }
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, handleSignal);
  return { signal: end.signal, kill: kill.signal };
}
