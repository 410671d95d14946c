import { Context } from '@temporalio/activity';
import { toServiceError } from '../../errors.ts';
import { composeAnswer } from '../../jobs/support/answer.ts';
import { phraseAnswer } from '../../jobs/support/phrase-answer.ts';
import type { Models } from '../../models/index.ts';
import { startModelTime } from '../../models/model-time.ts';
import { type AskedQuestion, type Notes, toFindings } from './support-notes.ts';

/** The model may take this many milliseconds. */
const PHRASING_MS = 15_000;

/**
 * Lets the language model phrase the answer that follows from the notes.
 * @returns `undefined` if there is nothing to phrase, or if the model fails, which is logged
 */
export async function phraseNotes(
  models: Models,
  { id: jobId, teamId, question }: AskedQuestion & { id: string },
  notes: Notes,
): Promise<string | undefined> {
  const findings = toFindings(notes, question);
  const answer = composeAnswer(findings);
  // Where nothing was found out, there is nothing to phrase.
  if (answer.feedback) return undefined;
  const { cancellationSignal, log } = Context.current();
  using time = startModelTime(PHRASING_MS, cancellationSignal);
  const { signal, endsAt } = time;
  const model = models.modelFor({ feature: 'support', teamId, jobId, signal, endsAt });
  const request = [question.question, question.rationale ?? ''].join('\n\n').trim();
  try {
    return await phraseAnswer(model, answer, { findings, request });
  } catch (error) {
    cancellationSignal.throwIfAborted();
    const { code } = toServiceError(error);
    const fault = code === 'UNKNOWN_ERROR' ? { error: String(error) } : {};
    log.info('the model did not phrase a support answer', { code, ...fault });
    return undefined;
  }
}
