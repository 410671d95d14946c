import {
  type Client,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowHandle,
  type WorkflowOptions,
} from '@temporalio/client';
import {
  type AgentKind,
  deliveryWorkflowIdOf,
  JOB_KINDS,
  type JobKind as Kind,
  mailWorkflowIdOf,
  type PageJobKind,
  type SessionKind,
  workflowIdOf,
} from '../job-kinds.ts';
import type { JobStart } from '../jobs/direct-start/protocol.ts';
import { withoutCredentials } from '../url/credentials.ts';
import type { AgentInput, agent, extract } from '../workflows/agent.ts';
import type { batch } from '../workflows/batch.ts';
import type { crawl } from '../workflows/crawl.ts';
import type { deliver } from '../workflows/deliveries.ts';
import type { mails } from '../workflows/mails.ts';
import type { map } from '../workflows/map.ts';
import type { monitor } from '../workflows/monitor.ts';
import type { AskedPages } from '../workflows/page-jobs.ts';
import type { preview } from '../workflows/preview.ts';
import { QUEUES } from '../workflows/queues.ts';
import type { review } from '../workflows/review.ts';
import type { ScrapeInput, scrape } from '../workflows/scrape.ts';
import type { search } from '../workflows/search.ts';
import { Host, JobKind, TeamId } from '../workflows/search-attributes.ts';
import type { browser, SessionInput } from '../workflows/session.ts';
import type { SupportInput, support } from '../workflows/support.ts';

/** The starts of all workflows of jobs, with what the Temporal UI shows of them. */

const DELIVERY_PRIORITY = 4;

/** A job as the Temporal UI shows it. */
interface ShownJob {
  kind: Kind;
  jobId: string;
  teamId: string;
  /** One line of text. */
  summary: string;
  url?: string | undefined;
  host?: string | undefined;
  /** Whether the job has no search attributes, because it has zero data retention. */
  isHidden?: boolean | undefined;
}

/** Options that the starts of all jobs share. */
function optionsOf({ kind, jobId, teamId, summary, url, host, isHidden }: ShownJob) {
  return {
    workflowId: workflowIdOf(kind, jobId),
    taskQueue: QUEUES.scrape,
    priority: { priorityKey: JOB_KINDS[kind].priority, fairnessKey: teamId },
    staticSummary: summary.slice(0, 200),
    staticDetails: `${url ? `- URL: ${url}\n` : ''}- Job: ${jobId}\n- Team: ${teamId}`,
    typedSearchAttributes: isHidden
      ? []
      : [
          { key: TeamId, value: teamId },
          { key: JobKind, value: kind },
          ...(host ? [{ key: Host, value: host }] : []),
        ],
  };
}

/** Options of a workflow that runs only once, even if it is started twice with the same id. */
const ONCE = {
  workflowIdReusePolicy: 'REJECT_DUPLICATE',
  workflowIdConflictPolicy: 'USE_EXISTING',
} as const;

/** The kinds of jobs whose requests stay open until they end. */
export type SynchronousKind = 'scrape' | 'map' | 'search';
const VERBS = { scrape: 'Scrape', map: 'Map' } as const;

/** The options of starting a scrape, map or search. */
export interface SynchronousStart extends JobStart, Pick<ScrapeInput, 'ended'> {}

/**
 * The texts that the Temporal UI shows for a scrape, map or search, without the passwords of URLs.
 * @param job.target the URL as it was requested
 * @param job.url the normalised URL
 */
export const labelsOf = ({ upload, target, url }: LabelledJob) => ({
  label: (upload?.name ?? withoutCredentials(url ?? target)).slice(0, 120),
  ...(url !== undefined && { url: withoutCredentials(url) }),
  ...(upload && { file: upload.name }),
});

interface LabelledJob {
  upload?: { name: string } | undefined;
  target: string;
  url: string | undefined;
}

/**
 * The workflow of a job whose request stays open until it ends: its type and input, and what the Temporal UI
 * shows of it.
 */
export function describeSynchronousJob<Start extends SynchronousStart>(
  kind: SynchronousKind,
  { teamId, url, file, ...input }: Start,
) {
  const { jobId, label } = input;
  const isSearch = kind === 'search';
  const summary = isSearch
    ? 'Search'
    : `${file ? 'Parse' : VERBS[kind]} ${file ?? url ?? label ?? 'with zero data retention'}`;
  const host = url && new URL(url).host;
  return {
    ...optionsOf({ kind, jobId, teamId, summary, url, host, isHidden: !label && !isSearch }),
    workflowType: JOB_KINDS[kind].workflow,
    input,
  };
}

/**
 * Starts a job whose request stays open until it ends.
 * @example
 * const job = { jobId, teamId, timeoutMs: 30_000, ...labelsOf({ target: url, url }) };
 * const key = await (await startSynchronousJob(client, 'map', job)).result();
 */
export function startSynchronousJob(
  client: Client,
  kind: SynchronousKind,
  job: SynchronousStart,
  options: Pick<WorkflowOptions, 'requestEagerStart'> = {},
): Promise<WorkflowHandle<typeof scrape | typeof map | typeof search>> {
  const { workflowType, input, ...shown } = describeSynchronousJob(kind, job);
  return client.workflow.start<typeof scrape | typeof map | typeof search>(workflowType, {
    ...shown,
    ...ONCE,
    ...options,
    args: [input],
  });
}

/** The options of starting to answer a question, or to read the prompt of a crawl. */
export interface QuestionStart extends SupportInput {
  teamId: string;
}

/** What the Temporal UI shows of questions. */
const QUESTIONS = {
  support: 'Support question',
  preview: 'Prompt of a crawl',
  review: 'Question about a monitor',
} as const;

/**
 * Starts to answer a question. The question or prompt itself is not shown, because it may contain anything.
 */
export function startQuestion(
  client: Client,
  kind: keyof typeof QUESTIONS,
  { teamId, ...input }: QuestionStart,
): Promise<WorkflowHandle<typeof support | typeof preview | typeof review>> {
  const summary = QUESTIONS[kind];
  return client.workflow.start<typeof support | typeof preview | typeof review>(JOB_KINDS[kind].workflow, {
    ...optionsOf({ kind, jobId: input.jobId, teamId, summary }),
    ...ONCE,
    args: [input],
  });
}

/** Starts the workflow of a check of a monitor, unless it was started before. */
export async function startMonitorCheck(
  client: Client,
  { checkId, teamId, name }: { checkId: string; teamId: string; name: string },
): Promise<void> {
  await client.workflow.start<typeof monitor>(JOB_KINDS.monitor.workflow, {
    ...optionsOf({ kind: 'monitor', jobId: checkId, teamId, summary: `Check of ${name}` }),
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    args: [{ checkId }],
  });
}

/** The options of starting an agent or extract. */
export interface AgentStart extends AgentInput {
  kind: AgentKind;
  teamId: string;
  /** The host of the first URL, if one was given. */
  host?: string | undefined;
}

/**
 * Starts an agent or extract, unless it was started before. The prompt is not shown, because it may contain
 * anything.
 */
export async function startAgent(
  client: Client,
  { kind, teamId, host, ...input }: AgentStart,
): Promise<void> {
  const summary = `${kind === 'agent' ? 'Agent' : 'Extract'}${host ? ` for ${host}` : ''}`;
  try {
    await client.workflow.start<typeof agent | typeof extract>(JOB_KINDS[kind].workflow, {
      ...optionsOf({ kind, jobId: input.jobId, teamId, summary, host }),
      ...ONCE,
      args: [input],
    });
  } catch (error) {
    // A repeated request with the same idempotency key may come after its end.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** The options of starting a browser session. */
export interface SessionStart extends SessionInput {
  kind: SessionKind;
  teamId: string;
  /** The text that the Temporal UI shows for the session. */
  label: string;
}

/** Starts a browser session, and waits until its browser can be used. */
export function startSessionWorkflow(client: Client, session: SessionStart): Promise<void> {
  return client.workflow.executeUpdateWithStart<typeof browser, void, []>('opened', {
    args: [],
    startWorkflowOperation: new WithStartWorkflowOperation<typeof browser>(
      JOB_KINDS[session.kind].workflow,
      sessionOptions(session),
    ),
  });
}

/** Starts the workflow of a browser session whose browser runs already. */
export async function beginSession(client: Client, session: SessionStart): Promise<void> {
  await client.workflow.start<typeof browser>(JOB_KINDS[session.kind].workflow, sessionOptions(session));
}

const sessionOptions = ({ kind, teamId, label, ...input }: SessionStart) => ({
  ...optionsOf({ kind, jobId: input.sessionId, teamId, summary: label }),
  ...ONCE,
  // The types of the client want a tuple.
  args: [input] as [SessionInput],
});

/** The options of starting the workflow of a batch or crawl. */
export interface PageJobStart {
  kind: PageJobKind;
  jobId: string;
  teamId: string;
  /** The text that the Temporal UI shows for the job. */
  label: string;
  host?: string | undefined;
  /** What is asked for; absent for a job that continues. */
  asked?: AskedPages;
  /**
   * Whether the job has zero data retention, so that it gets no search attributes, and its input says
   * nothing.
   */
  isEncrypted?: boolean;
  /** Whether to start the delivery of webhook events. */
  webhook: boolean;
  /** Whether the work before the pages is already done. */
  prepared?: boolean;
}

/**
 * Starts the workflow of a batch or crawl, or wakes it if it is running.
 * @example
 * const asked = { url, limit: 100 };
 * await startPageJob(client, { kind: 'crawl', jobId, teamId, label: url, host: 'a.test', asked, webhook: false });
 */
export async function startPageJob(client: Client, job: PageJobStart): Promise<void> {
  const { kind, jobId, teamId, label, host, asked, isEncrypted, webhook, prepared } = job;
  await client.workflow.signalWithStart<typeof batch | typeof crawl>(JOB_KINDS[kind].workflow, {
    ...optionsOf({ kind, jobId, teamId, summary: label, host, isHidden: isEncrypted }),
    args: [{ jobId, webhook, ...(prepared && { prepared }), ...(asked && !isEncrypted && { asked }) }],
    signal: 'wake',
    signalArgs: [],
  });
}

/** Starts the workflow that delivers the events of a job, or wakes it if it is running. */
export async function startDeliveryWorkflow(client: Client, jobId: string, teamId: string): Promise<void> {
  await client.workflow.signalWithStart<typeof deliver>('deliver', {
    workflowId: deliveryWorkflowIdOf(jobId),
    taskQueue: QUEUES.scrape,
    args: [{ jobId }],
    signal: 'wake',
    signalArgs: [],
    priority: { priorityKey: DELIVERY_PRIORITY, fairnessKey: teamId },
    staticSummary: `Webhook events of ${jobId}`,
  });
}

/** Starts the workflow that sends the mails of a monitor, or wakes it if it is running. */
export async function startMailWorkflow(client: Client, monitorId: string, teamId: string): Promise<void> {
  await client.workflow.signalWithStart<typeof mails>('mails', {
    workflowId: mailWorkflowIdOf(monitorId),
    taskQueue: QUEUES.scrape,
    args: [{ monitorId }],
    signal: 'wake',
    signalArgs: [],
    priority: { priorityKey: DELIVERY_PRIORITY, fairnessKey: teamId },
    staticSummary: `Mails of the monitor ${monitorId}`,
  });
}
