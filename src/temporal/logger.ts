import { DefaultLogger, type LogLevel } from '@temporalio/worker';
import runtimeLogger from '@temporalio/worker/lib/runtime-logger.js';
import { maskEncrypted } from '../system/encryption/job-cipher.ts';
import { every } from '../system/every.ts';
import type { Logger } from '../system/logger.ts';

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

const { NativeLogCollector } = runtimeLogger;
/** Milliseconds after which a line of the library is written at the latest. */
const FLUSH_MS = 1_000;

/** Collects the lines of the library, which are rare, without looking for them ten times per second. */
class PatientLogCollector extends NativeLogCollector {
  constructor(downstream: ConstructorParameters<typeof NativeLogCollector>[0]) {
    super(downstream);
    clearInterval(this.flushIntervalTimer);
    this.flushIntervalTimer = every(FLUSH_MS, () => this.flush()).unref();
  }
}

/**
 * Makes a runtime of Temporal that is installed from now on look for lines of its log once per second. No
 * option of the library sets the interval of 100 ms, which is more than half of what a worker does at rest.
 */
export function collectLogsPatiently(): void {
  runtimeLogger.NativeLogCollector = PatientLogCollector;
}
