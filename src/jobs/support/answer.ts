import type { SupportAnswer } from '../../schemas/support.ts';
import type { JobFacts } from './facts.ts';
import type { Finding, Fix, Verdict } from './finding.ts';

/** The answer to a support question, as it is stored. */
export type StoredAnswer = Omit<SupportAnswer, 'requestId' | 'durationMs'>;

/** A passage of the guides that concerns the question. */
export interface GuidePassage {
  /** The URL path of its section. */
  path: string;
  title: string;
  text: string;
}

/** Everything that was found out about a question. */
export interface Findings {
  job?: JobFacts | undefined;
  /** Set if the question names a job that there is not. */
  isUnknownJob?: boolean;
  finding?: Finding | undefined;
  /** The results of the tests, in order. */
  verdicts: Verdict[];
  /** Facts about the account that the question is about, as a sentence. */
  account?: string | undefined;
  passages: GuidePassage[];
  /** The facts that were read, for an answer without findings. */
  attempted: string[];
}

/** Writes the answer: two to four sentences, from nothing but the findings. */
export function composeAnswer(findings: Findings): StoredAnswer {
  const { finding } = findings;
  if (finding) return answerFinding(finding, findings);
  return answerWithoutFinding(findings);
}

function answerFinding(finding: Finding, { verdicts, job, attempted }: Findings): StoredAnswer {
  const { cause, advice, confidence, isGuess } = finding;
  const proof = verdicts.find(({ result }) => result === 'success');
  const untested = finding.fixes.find((fix) => fix.untestable);
  const fix = proof?.fix ?? (verdicts.some(isFailure) ? undefined : (untested ?? finding.fixes[0]));
  const parameters = fix && !fix.isProbe && Object.keys(fix.parameters).length ? fix.parameters : null;
  const which =
    job?.isNamed === false ? `This is about the job ${job.id}, which fits the question best. ` : '';
  const validation = describeValidation(finding, { verdicts, proof, fix });
  const known = `${which}${asSentence(cause)}`;
  if (isGuess && !fix) {
    const blockedBy = `${asSentence(cause)} That does not explain the question, and no test did.`;
    return {
      answer: `${known} Support does not know why${verdicts.some(isFailure) ? ': no other parameters changed that' : ''}. ${ADVICE}`,
      confidence: 'low',
      fixParameters: null,
      validation,
      feedback: { blockedBy, attempted: [...attempted, ...verdicts.map(({ evidence }) => evidence)] },
    };
  }
  return {
    answer: `${known} ${fix ? fix.effect : advice}${proof ? ` ${proof.evidence}` : ''}`,
    confidence: proof ? (proof.isDoubtful ? 'medium' : 'high') : fix ? lower(confidence) : confidence,
    fixParameters: parameters,
    validation,
    feedback: null,
  };
}

/** What follows where nothing explains a question about a job. */
const ADVICE =
  'Say in quotes what you expected to see, and look whether the page has it without a click or a login.';

const isFailure = ({ result }: Verdict) => result === 'failure';
const lower = (confidence: Finding['confidence']) => (confidence === 'high' ? 'medium' : 'low');
const asSentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

function describeValidation(
  { fixes }: Finding,
  { verdicts, proof, fix }: { verdicts: Verdict[]; proof: Verdict | undefined; fix: Fix | undefined },
): StoredAnswer['validation'] {
  if (!fixes.length) return null;
  if (proof) return { tested: true, result: 'success', evidence: proof.evidence };
  const failed = verdicts.filter(isFailure);
  if (failed.length)
    return { tested: true, result: 'failure', evidence: failed.map(({ evidence }) => evidence).join(' ') };
  const evidence = fix?.untestable ?? verdicts[0]?.evidence ?? 'There was no time left for a test.';
  return { tested: false, result: 'skipped', evidence };
}

function answerWithoutFinding({ job, isUnknownJob, account, passages, attempted }: Findings): StoredAnswer {
  const none = { fixParameters: null, validation: null };
  if (account) return { ...none, answer: account, confidence: 'high', feedback: null };
  const [passage] = passages;
  if (!isUnknownJob && !job && passage) {
    return { ...none, answer: `${passage.text} See ${passage.path}.`, confidence: 'medium', feedback: null };
  }
  const hint = passage ? ` The guide at ${passage.path} may help.` : '';
  const unanswered = (blockedBy: string, advice: string): StoredAnswer => ({
    ...none,
    answer: `${blockedBy} ${advice}${hint}`,
    confidence: 'low',
    feedback: { blockedBy, attempted },
  });
  if (job && !isUnknownJob)
    return unanswered(
      [`Nothing about the job ${job.id} is out of the ordinary.`, job.page?.summary]
        .filter(Boolean)
        .join(' '),
      'Support does not know the answer: say in quotes what you expected to see, or what should not be there.',
    );
  return unanswered(
    isUnknownJob
      ? 'The team has no job with this id: it may be unknown, have expired, or have zero data retention.'
      : 'No job, error or guide explains the question.',
    'Name the job by its id, which failed scrapes have in details.scrapeId and documents in metadata.scrapeId.',
  );
}
