import { setTimeout as sleep } from 'node:timers/promises';
import type { Findings } from './findings.ts';
import type { ReceivedEvent, Receiver } from './receiver.ts';
import type { VerifiedJob } from './verify.ts';

const POLL_MS = 250;
/** Maximum time without an event. Failed deliveries are retried after one minute, then after five. */
const SILENCE_MS = 400_000;

/**
 * Waits for the events of ended jobs and checks that each arrived under one id, with the first and last event
 * in their places.
 */
export async function checkEvents(
  jobs: VerifiedJob[],
  { receiver, findings, signal }: { receiver: Receiver; findings: Findings; signal: AbortSignal },
): Promise<void> {
  let heardAt = Date.now();
  for (let missing = Number.POSITIVE_INFINITY; missing > 0 && Date.now() - heardAt < SILENCE_MS; ) {
    const now = jobs.reduce((sum, job) => sum + missingEvents(job, eventsOf(job, receiver)).length, 0);
    if (now < missing) heardAt = Date.now();
    missing = now;
    if (missing) await sleep(POLL_MS, undefined, { signal });
  }
  for (const job of jobs) {
    const events = eventsOf(job, receiver);
    const faults = [
      ...missingEvents(job, events).map((what) => `no ${what} was delivered`),
      ...wrongEvents(job, events),
    ];
    for (const fault of faults) findings.wrong(`${job.plan.name} ${job.id}: ${fault}`);
    findings.count('webhook events', events.length);
  }
}

const eventsOf = ({ id }: VerifiedJob, { events }: Receiver) =>
  [...events.values()].filter(({ jobId }) => jobId === id);

/** Describes the events of a job that were not received. */
function missingEvents({ plan, documents, errors }: VerifiedJob, events: ReceivedEvent[]): string[] {
  const received = events.filter((event) => event.received);
  const types = new Set(received.map(({ type }) => type));
  const pages = new Set(received.map(({ pageId }) => pageId));
  return [
    ...['started', 'completed'].map((event) => `${plan.kind}.${event}`).filter((type) => !types.has(type)),
    ...[...documents.map(({ scrapeId }) => scrapeId), ...errors.map(({ id }) => id)]
      .filter((pageId) => !pages.has(pageId))
      .map((pageId) => `${plan.kind}.page of page ${pageId}`),
  ];
}

/** Describes what is wrong with the received events. */
function wrongEvents({ plan, documents, errors }: VerifiedJob, events: ReceivedEvent[]): string[] {
  const faults: string[] = [];
  const succeeded = new Map<string | undefined, boolean>([
    ...documents.map(({ scrapeId }) => [scrapeId, true] as const),
    ...errors.map(({ id }) => [id, false] as const),
  ]);
  const ids = new Map<string, string>();
  for (const { type, pageId, webhookId, success } of events) {
    const what = pageId ? `${type} of page ${pageId}` : type;
    const first = ids.get(what);
    if (first) faults.push(`${what} came under two ids, ${first} and ${webhookId}`);
    ids.set(what, webhookId);
    const isPage = type === `${plan.kind}.page`;
    if (isPage && succeeded.get(pageId) !== success)
      faults.push(`${what} says success ${success}, the results say ${succeeded.get(pageId)}`);
    if (!isPage && ![`${plan.kind}.started`, `${plan.kind}.completed`].includes(type))
      faults.push(`${what} came, which never happened`);
  }
  const orders = events.map(({ order }) => order);
  const orderOf = (event: string) => events.find(({ type }) => type === `${plan.kind}.${event}`)?.order;
  if (orderOf('started') !== Math.min(...orders)) faults.push('the started event did not come first');
  if (orderOf('completed') !== Math.max(...orders)) faults.push('the completed event did not come last');
  return faults;
}
