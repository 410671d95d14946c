import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, seeded } from '../site/random.ts';
import type { ChaosTarget } from './target.ts';

/** The options for killing processes. */
export interface KillerOptions {
  target: ChaosTarget;
  victims: string[];
  /** Number of kills of each victim. */
  kills: number;
  /** Seed of the pauses between kills. */
  seed: number;
  onKill(victim: string, count: number): void;
  signal: AbortSignal;
}

/**
 * Pauses between kills: some are so short that the last death was not noticed everywhere, others so long that
 * everything works again.
 */
const LEAST_PAUSE_MS = 2_000;
const PAUSE_MS = 13_000;
/**
 * Number of deaths after which a victim is spared for a while, because a process that is always down finds no
 * faults.
 */
const DEATHS_IN_A_ROW = 4;
const CALM_MS = 30_000;
/**
 * Maximum milliseconds until a missing victim is looked for again. The time is random, so that it is not
 * killed right after its start.
 */
const ABSENT_MS = 6_000;
const UP_WITHIN_MS = 180_000;

/**
 * Kills every victim `kills` times at random times, so that several may be down at once.
 * @throws Error if a victim does not start again, or the run is aborted
 */
export async function killAll(options: KillerOptions): Promise<void> {
  const { victims, seed } = options;
  await Promise.all(
    victims.map((victim, index) => killVictim(victim, seeded(seed * victims.length + index), options)),
  );
}

async function killVictim(victim: string, random: Random, options: KillerOptions): Promise<void> {
  const { target, kills, onKill, signal } = options;
  for (let count = 1; count <= kills; count++) {
    const calmMs = count > 1 && (count - 1) % DEATHS_IN_A_ROW === 0 ? CALM_MS : 0;
    await sleep(calmMs + LEAST_PAUSE_MS + random.whole(PAUSE_MS), undefined, { signal });
    while (!(await target.kill(victim))) await sleep(random.whole(ABSENT_MS), undefined, { signal });
    onKill(victim, count);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(UP_WITHIN_MS)]);
    await target.untilUp(victim, limit);
    signal.throwIfAborted();
    if (limit.aborted) throw new Error(`${victim} did not come up within ${UP_WITHIN_MS / 1000} s.`);
  }
}
