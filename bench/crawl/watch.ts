import { setTimeout as sleep } from 'node:timers/promises';
import { short } from '../figures.ts';
import { byRole, sampleProcesses } from '../processes.ts';
import { type Caller, type JobPath, readHead } from './service.ts';

/** The state of the service at one moment of a job. */
export interface Moment {
  atMs: number;
  /** Number of finished pages of the job. */
  completed: number;
  cpuMs: Record<string, number>;
  pssMb: Record<string, number>;
  /** Milliseconds that the last request for the status took; 0 before the first one. */
  statusMs: number;
}

const LOOK_MS = 1_000;
const SAMPLE_MS = 5_000;
const IDLE_MS = 10_000;

function takeMoment(
  roots: Record<string, number>,
  { completed, statusMs }: Pick<Moment, 'completed' | 'statusMs'>,
): Moment {
  const samples = sampleProcesses(roots);
  return {
    atMs: performance.now(),
    completed,
    statusMs,
    cpuMs: byRole(samples, 'cpuMs'),
    pssMb: byRole(samples, 'pssMb'),
  };
}

const NOTHING_DONE = { completed: 0, statusMs: 0 };

/**
 * Watches a job until it ends.
 * @param options.onMoment called with all moments so far, whenever there is another one
 * @returns its last status, and the moments from start to end
 */
export async function watchJob(
  caller: Caller,
  roots: Record<string, number>,
  {
    start,
    onMoment,
  }: { start: () => Promise<JobPath>; onMoment?: ((moments: Moment[]) => void) | undefined },
) {
  const moments = [takeMoment(roots, NOTHING_DONE)];
  const path = await start();
  for (;;) {
    await sleep(LOOK_MS);
    const askedAt = performance.now();
    const head = await readHead(caller, path);
    const statusMs = performance.now() - askedAt;
    const hasEnded = head.status !== 'scraping';
    if (hasEnded || performance.now() - moments.at(-1)!.atMs >= SAMPLE_MS) {
      moments.push(takeMoment(roots, { completed: head.completed, statusMs }));
      onMoment?.(moments);
    }
    if (hasEnded) return { path, head, moments };
  }
}

/** Formats CPU time and memory of the idle service. */
export async function describeIdle(roots: Record<string, number>): Promise<string> {
  const before = takeMoment(roots, NOTHING_DONE);
  await sleep(IDLE_MS);
  const after = takeMoment(roots, NOTHING_DONE);
  const cpu = sumOf(cpuPerPage(before, after, IDLE_MS / 1000));
  return `Idle: ${short(cpu)} CPU-ms per second, ${short(sumOf(after.pssMb))} MB PSS.`;
}

/** CPU milliseconds per page and role between two moments. */
export function cpuPerPage(from: Moment, to: Moment, pages: number): Record<string, number> {
  const roles = Object.entries(to.cpuMs);
  return Object.fromEntries(roles.map(([role, ms]) => [role, (ms - (from.cpuMs[role] ?? 0)) / pages]));
}

/** The sum over all roles. */
export const sumOf = (parts: Record<string, number>) =>
  Object.values(parts).reduce((sum, part) => sum + part, 0);
