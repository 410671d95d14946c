import { type Logger, pino } from 'pino';
import { currentIds } from './tracing.ts';

export type { Logger } from 'pino';

/** Lines that cannot be written wait. Those beyond this many bytes are lost. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** What a person reads of a line, whose process is the only one on the terminal. */
const FOR_TERMINAL = { destination: 2, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l' };

/**
 * Creates the log of one process on stderr, because stdout is for results: JSON lines, or text where stderr is a
 * terminal. Each has the ids of the job, page and trace that its work is for, as far as there are any.
 * @param name name of the process, e.g. `api`
 */
export function createLogger(name: string, level: string): Logger {
  const options = {
    name,
    level,
    redact: ['req.headers.authorization', 'apiKey'],
    mixin: currentIds,
  };
  if (process.stderr.isTTY)
    return pino({ ...options, transport: { target: 'pino-pretty', options: FOR_TERMINAL } });
  const stderr = pino.destination({ dest: 2, maxLength: MAX_WAITING_BYTES });
  // The disk may be full, which must not end the process. Its lines are written when there is space again, but
  // not waited for at its end, as the library would do for ever.
  stderr.on('error', () => {
    stderr.flushSync = () => undefined;
  });
  return pino(options, stderr);
}
