import { extractAnswer } from '../../jobs/guides/extract-answer.ts';
import { loadGuides } from '../../jobs/guides/index.ts';
import { composeAnswer, type GuidePassage } from '../../jobs/support/answer.ts';
import { explainJob } from '../../jobs/support/explain.ts';
import { trialsOf } from '../../jobs/support/finding.ts';
import { mentionsOf } from '../../jobs/support/mentions.ts';
import { judgeTrial } from '../../jobs/support/verdict.ts';
import type { Models } from '../../models/index.ts';
import type { Database } from '../../storage/db/client.ts';
import { findOutcome } from '../../storage/db/jobs/jobs.ts';
import { completeJob } from '../../storage/db/jobs/take-credits.ts';
import { countActivity, readTeamUsage, storeNote } from '../../storage/db/support.ts';
import type { JobResults } from '../../storage/job-results.ts';
import { phraseNotes } from './phrase-notes.ts';
import { JobReader } from './support-facts.ts';
import { findQuestion, notesOf, toFindings } from './support-notes.ts';
import { type PreparedTrial, prepareTrial } from './support-trials.ts';

/** Dependencies of the activities that answer support questions. */
export interface SupportDeps {
  db: Database;
  results: JobResults;
  /** Milliseconds that the results of a job are kept after its end. */
  resultTtlMs: number;
  /** Absent without a language model. */
  models: Models | undefined;
}

/** The facts of an answer. Each kind is read by one activity, bound to the team that asks. */
export type SupportTool = 'job' | 'usage' | 'activity' | 'docs';

/** The activities that answer support questions. */
export function supportActivities({ db, results, resultTtlMs, models }: SupportDeps) {
  const reader = new JobReader(db, results);

  return {
    /** Reads what one tool knows for the question, and notes it. */
    async consultTool(supportId: string, tool: SupportTool): Promise<void> {
      const asked = await findQuestion(db, supportId);
      if (!asked) return;
      const { teamId } = asked;
      const tools: Record<SupportTool, () => Promise<unknown>> = {
        job: () => reader.read(asked),
        usage: () => readTeamUsage(db, teamId),
        activity: () => countActivity(db, teamId),
        docs: () => findPassages(asked.question.question),
      };
      const note = await tools[tool]();
      if (note !== undefined) await storeNote(db, { jobId: supportId, topic: tool, note });
    },

    /**
     * Explains the job of the question.
     * @returns the number of scrapes that are to test what may help
     */
    async explainJob(supportId: string): Promise<number> {
      const asked = await findQuestion(db, supportId);
      const { job } = await notesOf(db, supportId);
      if (!asked || !job || job === 'unknown') return 0;
      const finding = explainJob(job, asked.question.question);
      if (!finding) return 0;
      await storeNote(db, { jobId: supportId, topic: 'finding', note: finding });
      return trialsOf(finding).length;
    },

    /**
     * Stores the scrape that is one of the tests.
     * @param remainingMs milliseconds that it may take
     * @returns `undefined` if the page cannot be scraped again, or not in time
     */
    async prepareTrial(
      supportId: string,
      number: number,
      remainingMs: number,
    ): Promise<PreparedTrial | undefined> {
      const asked = await findQuestion(db, supportId);
      const notes = await notesOf(db, supportId);
      const { job, finding } = notes;
      const [fix] = (finding && trialsOf(finding)[number]) ?? [];
      if (!asked || !fix || !job || job === 'unknown') return undefined;
      if (fix.needsScripts && toFindings(notes, undefined).verdicts.some(({ hasNoScripts }) => hasNoScripts))
        return undefined;
      const order = { supportId, teamId: asked.teamId, number, job, fix, remainingMs, ttlMs: resultTtlMs };
      return prepareTrial(db, order);
    },

    /**
     * Compares a test with the job.
     * @returns whether the fix helps, so that no further one has to be tested
     */
    async judgeTrial(supportId: string, number: number, trialId: string): Promise<boolean> {
      const { job, finding } = await notesOf(db, supportId);
      const fixes = (finding && trialsOf(finding)[number]) ?? [];
      if (!job || job === 'unknown' || !fixes.length) return false;
      const asked = await findQuestion(db, supportId);
      const mentions = mentionsOf(asked?.question.question ?? '');
      const outcome = await findOutcome(db, trialId);
      const document = outcome?.blob ? await reader.readDocumentFacts(outcome.blob, mentions) : undefined;
      const { page, pages, crawl } = job;
      const found = pages && pages.completed + pages.failed + pages.open - 1;
      const verdict = judgeTrial(
        { fixes, ...(outcome?.error && { error: outcome.error }), ...(document && { document }) },
        { document: page?.document, crawl: crawl?.request, found, mentions },
      );
      await storeNote(db, { jobId: supportId, topic: `trial ${number}`, note: verdict });
      return verdict.result === 'success';
    },

    /**
     * Lets the language model phrase the answer, if there is one. Without its text, the answer stays as the
     * rules wrote it.
     */
    async phraseAnswer(supportId: string): Promise<void> {
      const asked = await findQuestion(db, supportId);
      if (!models || !asked) return;
      const phrased = await phraseNotes(models, { id: supportId, ...asked }, await notesOf(db, supportId));
      if (phrased !== undefined) await storeNote(db, { jobId: supportId, topic: 'phrased', note: phrased });
    },

    /**
     * Writes the answer from what was found out so far, and ends the job of the question.
     * @param isPartial whether time ran out
     * @returns the key of the answer
     */
    async concludeSupport(supportId: string, isPartial: boolean): Promise<string> {
      const ended = await findOutcome(db, supportId);
      if (ended?.blob) return ended.blob;
      const asked = await findQuestion(db, supportId);
      const notes = await notesOf(db, supportId);
      const composed = composeAnswer(toFindings(notes, asked?.question));
      const answer = { ...composed, answer: notes.phrased ?? composed.answer };
      const stored = await results.putResult(supportId, Buffer.from(JSON.stringify({ answer, isPartial })));
      await completeJob(db, { jobId: supportId, credits: 0, ...stored });
      return stored.blob;
    },
  };
}

const MAX_PASSAGES = 3;

/** Finds the sections of the guides that concern a question. */
async function findPassages(question: string): Promise<GuidePassage[]> {
  const { search } = await loadGuides();
  return search.search(question, MAX_PASSAGES).map((section) => ({
    path: section.path,
    title: section.heading,
    text: extractAnswer(question, section),
  }));
}
