import { Context } from '@temporalio/activity';
import type { Blobs } from '../../blobs/index.ts';
import type { Database } from '../../db/client.ts';
import { completeJob, findJob, findOutcome } from '../../db/jobs/jobs.ts';
import { countActivity, readNotes, readTeamUsage, storeNote } from '../../db/support.ts';
import { toServiceError } from '../../errors.ts';
import { extractAnswer } from '../../guides/extract-answer.ts';
import { loadGuides } from '../../guides/index.ts';
import type { Models } from '../../models/index.ts';
import { startModelTime } from '../../models/model-time.ts';
import type { AskRequest } from '../../schemas/support.ts';
import { describeAccount } from '../../support/account.ts';
import { composeAnswer, type Findings, type GuidePassage } from '../../support/answer.ts';
import { explainJob } from '../../support/explain.ts';
import type { JobFacts } from '../../support/facts.ts';
import { type Finding, trialsOf, type Verdict } from '../../support/finding.ts';
import { phraseAnswer } from '../../support/phrase.ts';
import { judgeTrial } from '../../support/verdict.ts';
import { JobReader } from './support-facts.ts';
import { type PreparedTrial, prepareTrial } from './support-trials.ts';

/** Dependencies of the activities that answer support questions. */
export interface SupportDeps {
  db: Database;
  blobs: Blobs;
  /** Milliseconds that the results of a job are kept after its end. */
  resultTtlMs: number;
  /** Absent without a language model. */
  models: Models | undefined;
}

/** The model may take this many milliseconds. */
const PHRASING_MS = 15_000;

/** The facts of an answer. Each kind is read by one activity, bound to the team that asks. */
export type SupportTool = 'job' | 'usage' | 'activity' | 'docs';

/** The notes about a question, by topic. */
interface Notes {
  job?: JobFacts | 'unknown';
  usage?: Awaited<ReturnType<typeof readTeamUsage>>;
  activity?: Awaited<ReturnType<typeof countActivity>>;
  docs?: GuidePassage[];
  finding?: Finding;
  /** The answer in the words of the model. */
  phrased?: string;
  [trial: `trial ${number}`]: Verdict;
}

/** The activities that answer support questions. */
export function supportActivities({ db, blobs, resultTtlMs, models }: SupportDeps) {
  const reader = new JobReader(db, blobs);

  /** Reads the question; `undefined` if it is already answered. */
  async function findQuestion(supportId: string) {
    const job = await findJob(db, supportId);
    // The API validated the question before it stored it.
    return job && { teamId: job.team_id, question: job.request as AskRequest };
  }

  async function notesOf(supportId: string): Promise<Notes> {
    // `storeNote` wrote them in this shape.
    return (await readNotes(db, supportId)) as Notes;
  }

  return {
    /** Reads what one tool knows for the question, and notes it. */
    async consultTool(supportId: string, tool: SupportTool): Promise<void> {
      const asked = await findQuestion(supportId);
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
      const asked = await findQuestion(supportId);
      const { job } = await notesOf(supportId);
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
      const asked = await findQuestion(supportId);
      const { job, finding } = await notesOf(supportId);
      const [fix] = (finding && trialsOf(finding)[number]) ?? [];
      if (!asked || !fix || !job || job === 'unknown') return undefined;
      const order = { supportId, teamId: asked.teamId, number, job, fix, remainingMs, ttlMs: resultTtlMs };
      return prepareTrial(db, order);
    },

    /** Compares a test with the job. @returns whether the fix helps, so that no further one has to be tested */
    async judgeTrial(supportId: string, number: number, trialId: string): Promise<boolean> {
      const { job, finding } = await notesOf(supportId);
      const fixes = (finding && trialsOf(finding)[number]) ?? [];
      if (!job || job === 'unknown' || !fixes.length) return false;
      const outcome = await findOutcome(db, trialId);
      const document = outcome?.blob ? await reader.readDocument(outcome.blob) : undefined;
      const verdict = judgeTrial(
        { fixes, ...(outcome?.error && { error: outcome.error }), ...(document && { document }) },
        { document: job.page?.document, crawl: job.crawl?.request },
      );
      await storeNote(db, { jobId: supportId, topic: `trial ${number}`, note: verdict });
      return verdict.result === 'success';
    },

    /** Lets the language model phrase the answer, if there is one. Without its text, the answer stays as the rules wrote it. */
    async phraseAnswer(supportId: string): Promise<void> {
      const asked = await findQuestion(supportId);
      if (!models || !asked) return;
      const { teamId, question } = asked;
      const findings = toFindings(await notesOf(supportId), question);
      const answer = composeAnswer(findings);
      // Where nothing was found out, there is nothing to phrase.
      if (answer.feedback) return;
      const { cancellationSignal, log } = Context.current();
      using time = startModelTime(PHRASING_MS, cancellationSignal);
      const { signal, endsAt } = time;
      const model = models.modelFor({ feature: 'support', teamId, jobId: supportId, signal, endsAt });
      const request = [question.question, question.rationale ?? ''].join('\n\n').trim();
      try {
        const text = await phraseAnswer(model, answer, { findings, request });
        if (text !== undefined) await storeNote(db, { jobId: supportId, topic: 'phrased', note: text });
      } catch (error) {
        cancellationSignal.throwIfAborted();
        const { code } = toServiceError(error);
        const fault = code === 'UNKNOWN_ERROR' ? { error: String(error) } : {};
        log.info('the model did not phrase a support answer', { code, ...fault });
      }
    },

    /**
     * Writes the answer from what was found out so far, and ends the job of the question.
     * @param isPartial whether time ran out
     * @returns the key of the blob with the answer
     */
    async concludeSupport(supportId: string, isPartial: boolean): Promise<string> {
      const ended = await findOutcome(db, supportId);
      if (ended?.blob) return ended.blob;
      const asked = await findQuestion(supportId);
      const notes = await notesOf(supportId);
      const composed = composeAnswer(toFindings(notes, asked?.question));
      const answer = { ...composed, answer: notes.phrased ?? composed.answer };
      const blob = await blobs.put(Buffer.from(JSON.stringify({ answer, isPartial })));
      await completeJob(db, { jobId: supportId, credits: 0, blob });
      return blob;
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

function toFindings(notes: Notes, asked: AskRequest | undefined): Findings {
  const { job, finding, usage, activity, docs = [], phrased: _, ...trials } = notes;
  const verdicts = Object.entries(trials)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, verdict]) => verdict);
  return {
    job: job === 'unknown' ? undefined : job,
    isUnknownJob: job === 'unknown',
    finding,
    verdicts,
    account: usage && asked && describeAccount(asked.question, { usage, activity: activity ?? [] }),
    passages: docs,
    attempted: Object.keys(notes).sort(),
  };
}
