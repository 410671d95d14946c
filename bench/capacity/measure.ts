import { setTimeout as sleep } from 'node:timers/promises';
import { startGenerators } from './generators.ts';
import type { LoadName } from './loads/index.ts';
import { type Connections, type PartsCpu, type Snapshot, takeSnapshot, watchConnections } from './observe.ts';
import type { StartedParts } from './shared-parts.ts';

/** Milliseconds that new workers get to begin, before they are measured. */
const WARM_UP_MS = 1_500;
/** A load with twice as many workers that is not so much quicker has reached what the part can carry. */
const LEAST_GROWTH = 1.1;

/** What a number of workers did in a second, and what it cost. */
export interface Step {
  workers: number;
  perSecond: number;
  /** CPU milliseconds of each operation, without those of the parts at rest. */
  cpuMs: PartsCpu;
  connections: Connections;
}

/** The figures of one kind of load. */
export interface LoadFigures {
  load: LoadName;
  steps: Step[];
  /** The quickest of the steps. */
  best: Step;
  /** Bytes for each operation, over all steps without what precedes them. */
  growth: Record<'wal' | 'tables' | 'indexes' | 'temporal', number>;
}

/** How a load is measured. */
export interface MeasureOptions {
  load: LoadName;
  /** Numbers of workers, in rising order. It ends before the last one if the rate stops growing. */
  levels: number[];
  /** How long each step is measured. */
  seconds: number;
  /** CPU milliseconds in a second of the parts at rest, see {@link measureRest}. */
  rest: PartsCpu;
  interrupt: AbortSignal;
}

/** Measures what the parts take in a second when no worker does anything. */
export async function measureRest(parts: StartedParts, seconds: number): Promise<PartsCpu> {
  const before = await takeSnapshot(parts, async () => 0);
  await sleep(seconds * 1_000);
  const after = await takeSnapshot(parts, async () => 0);
  return mapCpu((part) => ((after.cpuMs[part] - before.cpuMs[part]) / (after.atMs - before.atMs)) * 1_000);
}

const mapCpu = (figureOf: (part: keyof PartsCpu) => number): PartsCpu => ({
  winnow: figureOf('winnow'),
  temporalDatabase: figureOf('temporalDatabase'),
  background: figureOf('background'),
  temporal: figureOf('temporal'),
});

/** Raises the number of simulated workers until the rate stops growing. */
export async function measureLoad(parts: StartedParts, options: MeasureOptions): Promise<LoadFigures> {
  const { load, levels, seconds, interrupt } = options;
  const generators = await startGenerators(load, parts.generators);
  const snapshot = () => takeSnapshot(parts, generators.count);
  try {
    const spans: Span[] = [];
    const steps: Step[] = [];
    let best: Step | undefined;
    for (const workers of levels) {
      interrupt.throwIfAborted();
      await generators.setWorkers(workers);
      await sleep(WARM_UP_MS);
      const before = await snapshot();
      const connections = await watchConnections(parts.db, seconds * 1_000);
      const after = await snapshot();
      spans.push({ before, after });
      const step = { workers, ...ratesOf(before, after, options.rest), connections };
      steps.push(step);
      const hasGrown = step.perSecond >= LEAST_GROWTH * (best?.perSecond ?? 0);
      if (step.perSecond > (best?.perSecond ?? 0)) best = step;
      if (!hasGrown) break;
    }
    if (!best) throw new Error(`No operation of ${load} was done in ${seconds} s.`);
    return { load, steps, best, growth: growthOf(spans) };
  } finally {
    await generators.close();
  }
}

function ratesOf(before: Snapshot, after: Snapshot, rest: PartsCpu): Pick<Step, 'perSecond' | 'cpuMs'> {
  const done = after.done - before.done;
  const seconds = (after.atMs - before.atMs) / 1_000;
  return {
    perSecond: done / seconds,
    cpuMs: mapCpu(
      (part) => Math.max(0, after.cpuMs[part] - before.cpuMs[part] - rest[part] * seconds) / done,
    ),
  };
}

/** What a step was measured between. */
interface Span {
  before: Snapshot;
  after: Snapshot;
}

function growthOf(spans: Span[]): LoadFigures['growth'] {
  const sum = (pick: (snapshot: Snapshot) => number) =>
    spans.reduce((all, { before, after }) => all + pick(after) - pick(before), 0);
  const done = sum((snapshot) => snapshot.done);
  return {
    wal: sum(({ walBytes }) => walBytes) / done,
    tables: sum(({ tableBytes }) => tableBytes) / done,
    indexes: sum(({ indexBytes }) => indexBytes) / done,
    temporal: sum(({ temporalBytes }) => temporalBytes) / done,
  };
}
