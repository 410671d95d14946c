import { quote } from '../../errors.ts';
import type { CodeResult, Language } from '../../schemas/session.ts';
import { MAX_DOWNLOADS_BYTES } from '../downloads/downloads.ts';
import type { Ending, ProcessResult } from './code-process.ts';
import { MEMORY_MB } from './languages.ts';

/** Matches the text that V8 prints before it ends a program whose heap is full. */
const HEAP_IS_FULL = /(?:^|\n)(?:\n?<--- Last few GCs --->|FATAL ERROR: [^\n]*heap out of memory)[\s\S]*$/;

/** Whether a program ended because its heap was full. */
export const isHeapFull = ({ stderr, ending }: ProcessResult) =>
  ending.reason === 'exit' && HEAP_IS_FULL.test(stderr.text);

/** The result of a call as the API has it. */
export function toCodeResult(
  { stdout, stderr, ending }: ProcessResult,
  { language, ...details }: EndingDetails & { language: Language },
): CodeResult {
  const outcome = outcomeOf(ending, details);
  return {
    stdout: stdout.text,
    stderr: ending.reason === 'memory' ? stderr.text.replace(HEAP_IS_FULL, '') : stderr.text,
    killed: ending.reason === 'timeout',
    truncated: stdout.isTruncated || stderr.isTruncated || (ending.reason === 'done' && ending.isTruncated),
    ...outcome,
    result: language === 'bash' ? stdout.text : outcome.result,
  };
}

/** What the downloads of a session may have, in words. */
export const DOWNLOADS_LIMIT = `${MAX_DOWNLOADS_BYTES / 1024 / 1024} MiB or 10,000 files`;
/** Deleted files that an error names. */
const MAX_NAMED = 5;

/** Appends the names of files to a sentence. */
const listNames = (names: readonly string[]) =>
  names.length === 0
    ? ''
    : `: ${names.slice(0, MAX_NAMED).map(quote).join(', ')}${names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''}`;

/** Exit code of a program that was killed, as a shell has it. */
const KILLED_CODE = 137;

/** What becomes of a session whose code has ended with its process. */
const LOST = 'variables and files in /tmp of this language are lost.';
const KEPT = `The page and files in /downloads are kept; ${LOST}`;

/** What the message of an ending names. */
interface EndingDetails {
  timeoutMs: number;
  /** Names of files that were deleted because there was no room for them. */
  deleted: readonly string[];
}

function outcomeOf(
  ending: Ending,
  { timeoutMs, deleted }: EndingDetails,
): Pick<CodeResult, 'exitCode' | 'result' | 'error'> {
  const stopped = (error: string) => ({ exitCode: KILLED_CODE, result: '', error });
  switch (ending.reason) {
    case 'done': {
      const { exitCode, result, error } = ending;
      return { exitCode, result, ...(error !== undefined && { error }) };
    }
    case 'exit': {
      const { exitCode } = ending;
      const error = `The code ended its own process with exit code ${exitCode}. ${KEPT}`;
      return { exitCode, result: '', ...(exitCode !== 0 && { error }) };
    }
    case 'timeout':
      return stopped(
        `The code took longer than its timeout of ${timeoutMs / 1000} s, so it was ended. ${KEPT}`,
      );
    case 'memory':
      return stopped(`memory limit: the code used more than ${MEMORY_MB} MiB, so it was ended. ${KEPT}`);
    case 'disk':
      return stopped(
        `disk limit: /downloads had more than ${DOWNLOADS_LIMIT}, files that are deleted but open included, so the code was ended, and what was written last was deleted${listNames(deleted)}. Other files and the page are kept; ${LOST}`,
      );
    case 'output':
      return stopped(`output limit: the code printed too much, so it was ended. ${KEPT}`);
  }
}
