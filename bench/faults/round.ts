import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../test/chaos/client.ts';
import type { Findings } from '../../test/chaos/findings.ts';
import type { Ledger } from '../../test/chaos/ledger.ts';
import { type Round, runRound } from '../../test/chaos/round.ts';
import type { Random } from '../../test/site/random.ts';
import type { Fault } from './fault.ts';
import type { ScrapeLedger } from './scrape-ledger.ts';
import { type Answer, keepScraping } from './scrapes.ts';
import type { FaultTarget } from './target.ts';

/** What all rounds share. */
export interface RoundPlace {
  target: FaultTarget;
  client: Client;
  findings: Findings;
  random: Random;
  ledger: Ledger;
  scrapes: { ledger: ScrapeLedger; key: string; site: string };
  siteUrl: string;
  deadUrl: string;
  pages: number;
  signal: AbortSignal;
  note(text: string): void;
}

/** What clients saw of a fault. */
export interface FaultReport {
  fault: string;
  seconds: number;
  /** The scrapes that clients waited for while the fault lasted. */
  answers: Answer[];
  /** Milliseconds after the end of the fault until a scrape was served, and until pages of jobs came. */
  servedAfterMs: number | undefined;
  pagesAfterMs: number | undefined;
  round: Round;
  violations: string[];
}

/** The jobs run for a moment before the fault begins. */
const LEAD_MS = 3_000;
/** Everything goes on by itself within this time after the end of a fault. */
const RECOVERY_MS = 60_000;

/** Runs a batch, crawls and scrapes during a fault, and checks what they brought. */
export async function runFault(
  fault: Fault,
  seconds: number,
  { place, number, earlier }: { place: RoundPlace; number: number; earlier: Round[] },
): Promise<FaultReport> {
  const { target, findings, ledger, scrapes, note } = place;
  const known = new Set(findings.violations);
  const scraping = keepScraping({ ...scrapes, urls: target.cluster.urls });
  const progress: number[] = [];
  const jobs = runRound({
    ...place,
    round: number,
    refusedEvents: 0,
    onProgress: () => progress.push(performance.now()),
  });
  jobs.catch(() => undefined);
  await sleep(LEAD_MS);
  const beganAt = performance.now();
  note(`${fault.name}, for ${seconds} s`);
  await fault.begin(target);
  await sleep(seconds * 1_000);
  await fault.end(target);
  const endedAt = performance.now();
  note(`${fault.name}: has ended`);
  const servedAt = await scraping.untilServed();
  const round = await jobs;
  await scraping.stop();
  await ledger.check([...earlier, round].flatMap((each) => each.jobs));
  await scrapes.ledger.check(scraping.answers.filter(({ outcome }) => outcome === 'ok').length);

  const answers = scraping.answers.filter(
    ({ startedAt, ms }) => startedAt < endedAt && startedAt + ms > beganAt,
  );
  const after = (at: number | undefined) => (at === undefined ? undefined : at - endedAt);
  const servedAfterMs = after(servedAt);
  const pagesAfterMs = after(progress.find((at) => at > endedAt));
  for (const { wrong } of scraping.answers) if (wrong) findings.wrong(`${fault.name}: ${wrong}`);
  if (!(servedAfterMs !== undefined && servedAfterMs <= RECOVERY_MS))
    findings.wrong(`${fault.name}: no scrape was served within a minute after its end`);
  if (pagesAfterMs !== undefined && pagesAfterMs > RECOVERY_MS)
    findings.wrong(
      `${fault.name}: the next page of a job came ${Math.round(pagesAfterMs / 1_000)} s after its end`,
    );
  const violations = findings.violations.filter((text) => !known.has(text));
  return { fault: fault.name, seconds, answers, servedAfterMs, pagesAfterMs, round, violations };
}
