import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../../src/errors.ts';
import { readRunFile } from '../../../src/run/embedded/supervision/run-file.ts';
import { openDatabase } from '../../../src/storage/db/client.ts';
import { changeTeam, FIRST_TEAM } from '../../../src/storage/db/teams/teams.ts';
import { seeded } from '../../site/random.ts';
import { startSite } from '../../site/site.ts';
import { createFindings, type Findings } from '../findings.ts';
import type { ChaosTarget } from '../target.ts';
import { checkMachine, checkRows } from './aftermath.ts';
import { openSessionClient, type SessionClient } from './session-client.ts';
import { useOneSession } from './session-user.ts';
import { findVictims } from './victims.ts';

/** The options of a chaos run with browser sessions. */
export interface SessionChaosOptions {
  /** Number of kills. */
  kills: number;
  seed: number;
  /** Aborts the run. */
  signal: AbortSignal;
  /** Receives progress messages. */
  note(text: string): void;
}

/** The result of a chaos run with browser sessions. */
export interface SessionChaosReport {
  /** Violations; empty if everything was correct. */
  violations: string[];
  /** Number of kills by victim. */
  kills: Record<string, number>;
  /** Sessions, calls and requests, for information. */
  counts: Record<string, number>;
  seconds: number;
}

const VICTIMS = ['chromium', 'sandbox', 'worker', 'api'] as const;
type Victim = (typeof VICTIMS)[number];

const USERS = 4;
/** Sessions that the team may have: some stay open until their time is over. */
const SESSION_LIMIT = 2 * USERS;
/** Pauses between kills. */
const LEAST_PAUSE_MS = 500;
const PAUSE_MS = 7_000;
const UP_WITHIN_MS = 180_000;
const AGAIN_MS = 100;

/**
 * Uses browser sessions while their processes are killed at random, then stops the service, and checks that
 * nothing is left behind and every session was billed once.
 */
export async function runSessionChaos(
  target: ChaosTarget,
  options: SessionChaosOptions,
): Promise<SessionChaosReport> {
  const { note, seed, signal } = options;
  const findings = createFindings((text) => note(`WRONG  ${text}`));
  const startedAt = performance.now();
  const workers = new Set<number>();
  const killed: Record<string, number> = {};
  const site = await startSite();
  const db = openDatabase(target.databaseUrl, () => undefined);
  try {
    await changeTeam(db, FIRST_TEAM, { sessions: SESSION_LIMIT });
    const client = openSessionClient({ url: target.urls[0] ?? '', key: target.key }, findings, signal);
    let isKilling = true;
    const users = Array.from({ length: USERS }, async (_user, index) => {
      const random = seeded(seed * USERS + index);
      const user = { client, random, findings, pageUrl: `${site.url}/article/${index}` };
      while (isKilling) await useOneSession({ ...user, profile: `chaos-${index}` });
    });
    const used = Promise.all(users);
    // If the killing fails, that is reported.
    used.catch(() => undefined);
    await killAtRandom(target, { ...options, workers, killed }).finally(() => {
      isKilling = false;
    });
    await used;
    await checkRows(db, readRunFile(target.dataDir)?.urls.temporal ?? '', findings);
    await checkThatItWorks(client, findings);
    const [current] = workersOf(target);
    await checkMachine(
      [...workers].filter((pid) => pid !== current),
      findings,
    );
  } catch (error) {
    signal.throwIfAborted();
    findings.wrong(messageOf(error));
  } finally {
    await db.close();
    await site.close();
  }
  await target.stop({ keepData: true });
  await checkMachine([...workers], findings);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  return { violations: findings.violations, kills: killed, counts: findings.counts, seconds };
}

const workersOf = ({ dataDir }: ChaosTarget): number[] =>
  [readRunFile(dataDir)?.children.worker?.pid].filter((pid) => pid !== undefined);

interface Killing extends SessionChaosOptions {
  /** Receives the pids of all workers. */
  workers: Set<number>;
  /** Counts the kills of each victim. */
  killed: Record<string, number>;
}

async function killAtRandom(target: ChaosTarget, options: Killing): Promise<void> {
  const { kills, seed, signal, note, workers, killed } = options;
  const random = seeded(seed);
  for (let index = 1; index <= kills; index++) {
    await sleep(LEAST_PAUSE_MS + random.whole(PAUSE_MS), undefined, { signal });
    const victim = random.pick(VICTIMS);
    // It may not be running at this moment.
    while (!(await kill(victim))) await sleep(AGAIN_MS, undefined, { signal });
    killed[victim] = (killed[victim] ?? 0) + 1;
    note(`killed ${victim} (${index} of ${kills})`);
  }
  for (const part of ['worker', 'api']) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(UP_WITHIN_MS)]);
    await target.untilUp(part, limit);
    if (limit.aborted) throw new Error(`The ${part} did not come up within ${UP_WITHIN_MS / 1000} s.`);
  }
  for (const pid of workersOf(target)) workers.add(pid);

  async function kill(victim: Victim): Promise<boolean> {
    const running = workersOf(target);
    for (const pid of running) workers.add(pid);
    if (victim === 'worker' || victim === 'api') return target.kill(victim);
    const victims = findVictims(victim, running);
    try {
      return victims.length > 0 && process.kill(random.pick(victims), 'SIGKILL');
    } catch {
      return false; // It has just ended by itself.
    }
  }
}

/** Opens as many sessions as the team may have at once, uses each of them, and deletes them. */
async function checkThatItWorks(client: SessionClient, findings: Findings): Promise<void> {
  const works = Array.from({ length: SESSION_LIMIT }, async () => {
    const created = await client.ask('/v2/browser', { body: {} });
    if ('refused' in created) return false;
    const path = `/v2/browser/${String(created.body.id)}`;
    const executed = await client.ask(`${path}/execute`, { body: { code: '1 + 1', timeout: 60 } });
    const deleted = await client.ask(path, { method: 'DELETE' });
    return 'body' in executed && executed.body.result === '2' && 'body' in deleted;
  });
  const failed = (await Promise.all(works)).filter((isGood) => !isGood).length;
  if (failed) findings.wrong(`afterwards, ${failed} of ${SESSION_LIMIT} sessions do not work`);
}
