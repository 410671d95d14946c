import { DefaultLogger, type LogLevel } from '@temporalio/worker';
import type { Logger } from './logger.ts';
import { withoutClosed } from './seal.ts';

const LEVELS: Record<LogLevel, 'trace' | 'debug' | 'info' | 'warn' | 'error'> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
};

/** Lines of Temporal's that warn of what is in order, or what our own code has logged with more detail. */
const EXPECTED = [
  // Only one of a worker's queues has workflows.
  /^No workflows registered/,
  // An activity whose job ended or was cancelled meanwhile has nobody left to report to.
  /^Activity not found on completion/,
  // The interceptor of activities logs what is unexpected; what is expected becomes the outcome of a page or job.
  /^Activity failed$/,
];
/** Their workflows log by themselves why they fail. */
const JOBS = new Set(['scrape', 'map', 'batch', 'crawl']);

/** Makes Temporal log its lines through our logger, each with what happened and at the level that it deserves. */
export function temporalLogger(logger: Logger): DefaultLogger {
  return new DefaultLogger('INFO', ({ level, message, meta = {} }) => {
    const { error, ...fields } = meta;
    const text = withoutClosed(message);
    if (isTold(message, fields)) return logger.debug(fields, text);
    // The logger writes an error out only under the name `err`.
    logger[LEVELS[level]](error instanceof Error ? { ...fields, err: error } : meta, text);
  });
}

/** Whether a line needs no attention, or our own code has said the same. */
function isTold(message: string, { workflowType }: { workflowType?: unknown }): boolean {
  if (message === 'Workflow failed') return JOBS.has(String(workflowType));
  return EXPECTED.some((pattern) => pattern.test(message));
}
