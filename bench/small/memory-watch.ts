import { readFileSync } from 'node:fs';
import { every } from '../../src/system/every.ts';
import { sampleProcesses } from '../processes.ts';
import type { MemoryGroup } from './memory-group.ts';

const LOOK_MS = 500;
/** Reading the memory of all processes takes time, so that is done when there is so much more than before. */
const STEP_MB = 10;

/** Programs that the worker starts, by a part of their command lines. */
const PROGRAMS = { 'conversion-process.ts': 'conversion', '--max-old-space-size': 'code of sessions' };

/** The memory of a group when it was greatest, by process. */
export interface MemoryWatch {
  /** MiB of each kind of process at that moment, the largest first, and how many there were. */
  largest(): { process: string; number: number; memoryMb: number }[];
  stop(): void;
}

/** Watches the processes of a service until it is stopped. @param roots process ids by role */
export function watchMemory(group: MemoryGroup, roots: Record<string, number>): MemoryWatch {
  let mostMb = 0;
  let largest: ReturnType<MemoryWatch['largest']> = [];
  const timer = every(LOOK_MS, () => {
    const needMb = group.needMb();
    if (needMb < mostMb + STEP_MB) return;
    mostMb = needMb;
    largest = measureProcesses(roots);
  });
  return { largest: () => largest, stop: () => clearInterval(timer) };
}

function measureProcesses(roots: Record<string, number>) {
  const samples = sampleProcesses(roots).map((sample) => ({
    ...sample,
    process: sample.role === 'worker' ? programOf(sample.pid) : sample.role,
  }));
  const kinds = [...Map.groupBy(samples, ({ process }) => process)];
  return kinds
    .map(([process, own]) => ({
      process,
      number: own.length,
      memoryMb: own.reduce((sum, { pssMb }) => sum + pssMb, 0),
    }))
    .toSorted((one, other) => other.memoryMb - one.memoryMb);
}

function programOf(pid: number): string {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return Object.entries(PROGRAMS).find(([part]) => command.includes(part))?.[1] ?? 'worker';
  } catch {
    // It has ended since it was sampled.
    return 'worker';
  }
}
