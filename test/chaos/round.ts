import type { z } from 'zod';
import { startResponse } from '../../src/schemas/page-job.ts';
import type { Random } from '../site/random.ts';
import type { Client } from './client.ts';
import { checkEvents } from './events.ts';
import type { Findings } from './findings.ts';
import { compareHeads, statusAnswer } from './head.ts';
import { type Plan, planRound } from './plans.ts';
import { startReceiver } from './receiver.ts';
import { type VerifiedJob, verifyJob } from './verify.ts';
import { type ChaosJob, watchJob } from './watch.ts';

/** The options of a round of jobs. */
export interface RoundOptions {
  client: Client;
  random: Random;
  findings: Findings;
  siteUrl: string;
  deadUrl: string;
  pages: number;
  round: number;
  /** Number of events of which some are refused at first; by default a quarter of the pages. */
  refusedEvents?: number;
  /** Called with the number of new documents. */
  onProgress?(pages: number): void;
  signal: AbortSignal;
  note(text: string): void;
}

/** Ended jobs, and the time that they took. */
export interface Round {
  jobs: VerifiedJob[];
  seconds: number;
  /** The longest time without a finished page. */
  standstillSeconds: number;
}

const STILL_MS = 300_000;
const NOTE_MS = 15_000;

/**
 * Runs a batch and crawls at the same time and checks their results, at last their webhooks.
 * @throws Error if no page ends any more
 */
export async function runRound(options: RoundOptions): Promise<Round> {
  const { client, random, findings, signal } = options;
  const receiver = await startReceiver({
    random,
    findings,
    wellAfter: options.refusedEvents ?? options.pages / 4,
  });
  try {
    const startedAt = performance.now();
    const jobs = await Promise.all(planRound(options).map((plan) => startJob(plan, receiver.url, options)));
    const pulse = startPulse(options);
    const watched = await Promise.race([
      Promise.all(jobs.map((job) => watchJob(job, { client, random, findings, onProgress: pulse.beat }))),
      pulse.stopped,
    ]).finally(pulse.end);
    const seconds = (performance.now() - startedAt) / 1000;
    const verified = await Promise.all(watched.map((job) => verifyJob(job, options)));
    await checkEvents(verified, { receiver, findings, signal });
    return { jobs: verified, seconds, standstillSeconds: pulse.longestMs() / 1000 };
  } finally {
    await receiver.close();
  }
}

/** Starts a job. A failed request may have started it already; the idempotency key prevents a second one. */
async function startJob(plan: Plan, webhook: string, { client, round }: RoundOptions): Promise<ChaosJob> {
  const answer = await client.ask(plan.path, {
    body: { ...plan.body, webhook },
    headers: { 'x-idempotency-key': `chaos ${round} ${plan.name}` },
  });
  return { plan, id: startResponse.parse(answer).id };
}

/** Watches the time between finished pages. */
function startPulse({ note, signal, round, onProgress }: RoundOptions) {
  let pages = 0;
  let lastAt = performance.now();
  let longestMs = 0;
  const stopped = Promise.withResolvers<never>();
  const stillMs = () => performance.now() - lastAt;
  const check = () => {
    if (signal.aborted) stopped.reject(signal.reason);
    if (stillMs() > STILL_MS) stopped.reject(new Error(`No page ended for ${STILL_MS / 1000} s.`));
  };
  const timers = [
    setInterval(check, 1_000),
    setInterval(
      () => note(`round ${round + 1}: ${pages} documents, the last ${Math.round(stillMs() / 1000)} s ago`),
      NOTE_MS,
    ),
  ];
  return {
    /** Rejects if no page ends any more, or the run is aborted. */
    stopped: stopped.promise,
    beat(more: number) {
      onProgress?.(more);
      pages += more;
      longestMs = Math.max(longestMs, stillMs());
      lastAt = performance.now();
    },
    longestMs: () => longestMs,
    end() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

const endedStatus = statusAnswer.omit({ data: true, next: true });

/** Reads jobs that ended earlier. Nothing of them may have changed. */
export async function revisit(
  jobs: VerifiedJob[],
  { client, findings }: { client: Client; findings: Findings },
): Promise<void> {
  for (const { plan, id, head } of jobs) {
    const now: z.output<typeof endedStatus> = endedStatus.parse(
      await client.ask(`${plan.path}/${id}?limit=1`),
    );
    for (const fault of compareHeads(head, now)) findings.wrong(`${plan.name} ${id}: ${fault}`);
  }
}
