import type { ServiceError } from '../../errors.ts';
import { MAX_PROMPT_TURNS } from '../../jobs/agent/task.ts';
import type { PromptResult } from '../../schemas/session.ts';
import type { PromptEnd } from './prompt-run.ts';

/** How a prompt ended: by itself, because the model failed, or because its time was over. */
export type PromptOutcome = PromptEnd | ServiceError | 'time over';

/** Characters of the steps, and of the page, in a result at most. */
const MAX_TEXT = 200_000;
/** Exit codes of a prompt that failed, and of one whose time was over, as code has them. */
const FAILED_CODE = 1;
const KILLED_CODE = 137;

/** Creates the result of a prompt in the form of that of code. */
export function toPromptResult({
  lines,
  page = '',
  timeoutMs,
  outcome,
}: {
  /** One line for each step. */
  lines: readonly string[];
  /** The page at the end. */
  page?: string;
  timeoutMs: number;
  outcome: PromptOutcome;
}): PromptResult {
  const stdout = lines.map((line, index) => `${index + 1}. ${line}\n`).join('');
  const end = outcome === 'time over' || outcome instanceof Error ? {} : outcome;
  const { exitCode, error } = endingOf(outcome, timeoutMs);
  return {
    output: textOf(end.answer),
    stdout: stdout.slice(0, MAX_TEXT),
    result: page.slice(0, MAX_TEXT),
    stderr: '',
    exitCode,
    killed: exitCode === KILLED_CODE,
    truncated: stdout.length > MAX_TEXT || page.length > MAX_TEXT,
    ...(error !== undefined && { error }),
  };
}

function endingOf(outcome: PromptOutcome, timeoutMs: number): { exitCode: number; error?: string } {
  if (outcome === 'time over') return { exitCode: KILLED_CODE, error: timeoutError(timeoutMs) };
  if (outcome instanceof Error) return { exitCode: FAILED_CODE, error: outcome.message };
  if (outcome.usedUp === 'time') return { exitCode: KILLED_CODE, error: timeoutError(timeoutMs) };
  if (outcome.usedUp === 'turns') {
    const error = `The prompt was not done after ${MAX_PROMPT_TURNS} turns of the language model, so it was ended. Ask for a smaller task; the page is kept.`;
    return { exitCode: FAILED_CODE, error };
  }
  if (outcome.answer === undefined)
    return { exitCode: FAILED_CODE, error: 'The language model gave no answer. The page is kept.' };
  return { exitCode: 0 };
}

const timeoutError = (timeoutMs: number) =>
  `The prompt was not done within its timeout of ${timeoutMs / 1_000} s, so it was ended. Raise timeout, or ask for a smaller task; the page is kept.`;

/** The answer of the model, which may be text or data. */
function textOf(answer: unknown): string {
  if (answer === undefined) return '';
  return typeof answer === 'string' ? answer : JSON.stringify(answer);
}
