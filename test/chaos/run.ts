import { once } from 'node:events';
import { createServer } from 'node:net';
import { messageOf } from '../../src/errors.ts';
import { seeded } from '../site/random.ts';
import { type Site, startSite } from '../site/site.ts';
import { openClient } from './client.ts';
import { createFindings } from './findings.ts';
import { killAll } from './killer.ts';
import { openLedger } from './ledger.ts';
import { type Round, revisit, runRound } from './round.ts';
import type { ChaosTarget } from './target.ts';
import type { VerifiedJob } from './verify.ts';

/** The options of a chaos run. */
export interface ChaosOptions {
  /** Pages of the batch, and of the larger crawl. */
  pages: number;
  /** Number of kills of each victim. */
  kills: number;
  /** Names of victims, or their prefixes: `worker` means `worker-1`, `worker-2` and so on. */
  parts: string[];
  seed: number;
  /** Aborts the run. */
  signal: AbortSignal;
  /** Receives progress messages. */
  note(text: string): void;
}

/** The result of a chaos run. */
export interface ChaosReport {
  /** Violations; empty if everything was correct. */
  violations: string[];
  /** Number of kills by victim. */
  kills: Record<string, number>;
  rounds: Round[];
  /** Requests, webhooks and fetches, for information. */
  counts: Record<string, number>;
}

/**
 * Runs batches and crawls while processes are killed, until each was killed `kills` times and every job has
 * ended.
 */
export async function runChaos(target: ChaosTarget, options: ChaosOptions): Promise<ChaosReport> {
  const { pages, kills, parts, seed, note } = options;
  const victims = target.victims.filter((victim) => parts.some((part) => victim.startsWith(part)));
  const killed: Record<string, number> = Object.fromEntries(victims.map((victim) => [victim, 0]));
  const findings = createFindings((text) => note(`WRONG  ${text}`));
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, failure.signal]);
  const random = seeded(seed);
  const rounds: Round[] = [];
  const site = await startSite({ pages });
  const ledger = await openLedger(target.databaseUrl, findings, signal);
  try {
    const client = openClient({ ...target, random, findings, signal });
    const deadUrl = await findDeadUrl();
    let isKilling = true;
    const killer = killAll({
      target,
      victims,
      kills,
      seed,
      signal,
      onKill(victim, count) {
        killed[victim] = count;
        note(`killed ${victim} (${count} of ${kills})`);
      },
    }).finally(() => {
      isKilling = false;
    });
    killer.catch((error: unknown) => failure.abort(error));
    while (isKilling) {
      const place = { siteUrl: site.url, deadUrl, pages, round: rounds.length };
      rounds.push(await runRound({ client, random, findings, signal, note, ...place }));
      const jobs = rounds.flatMap((round) => round.jobs);
      await ledger.check(jobs);
      await revisit(jobs, { client, findings });
    }
    await killer;
  } catch (error) {
    options.signal.throwIfAborted();
    findings.wrong(messageOf(error));
    failure.abort(error);
  } finally {
    await ledger.close();
    await site.close();
  }
  findings.count(
    'fetches beyond one for each page',
    countRepeats(
      site,
      rounds.flatMap(({ jobs }) => jobs),
    ),
  );
  return { violations: findings.violations, kills: killed, rounds, counts: findings.counts };
}

/** A URL on loopback where no server listens. */
export async function findDeadUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

/** Paths of pages that need only one fetch. */
const PLAIN = /^\/(article|slow|links)\//;

/** Counts repeated fetches, which happen if a process is killed before it has recorded a page. */
function countRepeats(site: Site, jobs: VerifiedJob[]): number {
  const documents: Record<string, number> = {};
  for (const { sourceUrl } of jobs.flatMap((job) => job.documents)) {
    const { pathname } = new URL(sourceUrl);
    if (PLAIN.test(pathname)) documents[pathname] = (documents[pathname] ?? 0) + 1;
  }
  return Object.entries(documents).reduce((sum, [path, count]) => sum + site.hits(path) - count, 0);
}
