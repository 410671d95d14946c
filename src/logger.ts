import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/**
 * The log of one process: JSON lines on stderr, because stdout belongs to results.
 * @param name which process writes, e.g. `api`
 */
export function createLogger(name: string, level: string): Logger {
  return pino({ name, level, redact: ['req.headers.authorization', 'apiKey'] }, pino.destination(2));
}
