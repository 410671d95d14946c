import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/**
 * Creates the log of one process: JSON lines on stderr, because stdout is for results.
 * @param name name of the process, e.g. `api`
 */
export function createLogger(name: string, level: string): Logger {
  return pino({ name, level, redact: ['req.headers.authorization', 'apiKey'] }, pino.destination(2));
}
