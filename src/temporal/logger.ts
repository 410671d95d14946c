import { DefaultLogger, type LogLevel } from '@temporalio/worker';
import { maskEncrypted } from '../encryption/job-cipher.ts';
import type { Logger } from '../logger.ts';

const LEVELS: Record<LogLevel, 'trace' | 'debug' | 'info' | 'warn' | 'error'> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
};

/**
 * Log lines of Temporal that warn of something normal, or of something that our own code logs in more
 * detail.
 */
const EXPECTED_MESSAGES = [
  // Only one of a worker's queues has workflows.
  /^No workflows registered/,
  // The activity's job has ended meanwhile, so nothing waits for its result any more.
  /^Activity not found on completion/,
  // Our interceptor logs unexpected errors; expected ones become the outcome of a page or job.
  /^Activity failed$/,
];
/** Workflow types that log by themselves why they fail. */
const JOB_WORKFLOWS = new Set(['scrape', 'map', 'search', 'batch', 'crawl']);

/** Makes Temporal log through our logger. Lines that are expected get the level `debug`. */
export function temporalLogger(logger: Logger): DefaultLogger {
  return new DefaultLogger('INFO', ({ level, message, meta = {} }) => {
    const { error, ...fields } = meta;
    const text = maskEncrypted(message);
    if (needsNoAttention(message, fields)) return logger.debug(fields, text);
    // The logger formats errors only under the name `err`.
    logger[LEVELS[level]](error instanceof Error ? { ...fields, err: error } : meta, text);
  });
}

/** Whether a line needs no attention, or our own code has already logged the same. */
function needsNoAttention(message: string, { workflowType }: { workflowType?: unknown }): boolean {
  if (message === 'Workflow failed') return JOB_WORKFLOWS.has(String(workflowType));
  return EXPECTED_MESSAGES.some((pattern) => pattern.test(message));
}
