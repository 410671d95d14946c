import { describeAccount } from '../../jobs/support/account.ts';
import type { Findings, GuidePassage } from '../../jobs/support/answer.ts';
import type { JobFacts } from '../../jobs/support/facts.ts';
import type { Finding, Verdict } from '../../jobs/support/finding.ts';
import type { AskRequest } from '../../schemas/support.ts';
import type { Database } from '../../storage/db/client.ts';
import { findJob } from '../../storage/db/jobs/jobs.ts';
import { type countActivity, readNotes, type readTeamUsage } from '../../storage/db/support.ts';

/** The notes about a question, by topic. */
export interface Notes {
  job?: JobFacts | 'unknown';
  usage?: Awaited<ReturnType<typeof readTeamUsage>>;
  activity?: Awaited<ReturnType<typeof countActivity>>;
  docs?: GuidePassage[];
  finding?: Finding;
  /** The answer in the words of the model. */
  phrased?: string;
  [trial: `trial ${number}`]: Verdict;
}

/** Reads the notes about a question. */
export async function notesOf(db: Database, supportId: string): Promise<Notes> {
  // `storeNote` wrote them in this shape.
  return (await readNotes(db, supportId)) as Notes;
}

/** A question and the team that asks it. */
export interface AskedQuestion {
  teamId: string;
  question: AskRequest;
}

/** Reads the question of a job; `undefined` if the job has been deleted. */
export async function findQuestion(db: Database, supportId: string): Promise<AskedQuestion | undefined> {
  const job = await findJob(db, supportId);
  // The API validated the question before it stored it.
  return job && { teamId: job.team_id, question: job.request as AskRequest };
}

/** Turns the notes about a question into the findings from which its answer is composed. */
export function toFindings(notes: Notes, asked: AskRequest | undefined): Findings {
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
