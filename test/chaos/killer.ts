import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, seeded } from '../site/random.ts';
import type { ChaosTarget } from './target.ts';

/** How the killing goes. */
export interface KillerOptions {
  target: ChaosTarget;
  victims: string[];
  /** Of each victim. */
  kills: number;
  /** One seed, one sequence of pauses for each victim. */
  seed: number;
  onKill(victim: string, count: number): void;
  signal: AbortSignal;
}

/** Some come before the last death was noticed everywhere, some when all has been at work again for a while. */
const LEAST_PAUSE_MS = 2_000;
const PAUSE_MS = 13_000;
/** After so many deaths a victim is left alone for a while: what is always down finds no fault. */
const DEATHS_IN_A_ROW = 4;
const CALM_MS = 30_000;
/** What is not there is looked for again at a random time, not killed the moment that it comes. */
const ABSENT_MS = 6_000;
const UP_WITHIN_MS = 180_000;

/**
 * Kills every victim so often, each at its own random times, so that several may be down at once.
 * @throws Error when one does not come up again, or when called off
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
