import { short, table } from '../figures.ts';
import { LOADS, type LoadName } from './loads/index.ts';
import type { LoadFigures, Step } from './measure.ts';
import type { PartsCpu } from './observe.ts';

/** A number with two figures at least; a dash for what no operation has taken. */
const figure = (value: number) =>
  Number.isFinite(value) ? (value >= 10 ? short(value) : value.toFixed(2)) : '–';

/** CPU-ms of Postgres for an operation of a load, with what it does in the background. */
const postgresOf = (load: LoadName, { cpuMs }: Step) =>
  cpuMs.background + (LOADS[load].part === 'postgres' ? cpuMs.winnow : cpuMs.temporalDatabase);

const cores = (perSecond: number, ms: number) => ((perSecond * ms) / 1_000).toFixed(2);

/** The tables of the quickest step of each kind of load: its rate and cost, and what it leaves behind. */
export function describeLoads(all: LoadFigures[]): string {
  const rates = all.map(({ load, best }) => {
    const { perSecond, connections, workers, cpuMs } = best;
    const postgres = postgresOf(load, best);
    return {
      load: LOADS[load].title,
      operation: LOADS[load].operation,
      workers,
      'per second': short(perSecond),
      'CPU-ms of Postgres': figure(postgres),
      'CPU-ms of Temporal': onlyTemporal(load, figure(cpuMs.temporal)),
      'cores of Postgres': cores(perSecond, postgres),
      'cores of Temporal': onlyTemporal(load, cores(perSecond, cpuMs.temporal)),
      'connections, active, waiting for locks': `${connections.most}, ${connections.active.toFixed(1)}, ${connections.waiting.toFixed(1)}`,
    };
  });
  const growth = all.map(({ load, growth }) => ({
    'MB per million': LOADS[load].title,
    WAL: short(growth.wal),
    tables: short(growth.tables),
    indexes: short(growth.indexes),
    "Temporal's databases": onlyTemporal(load, short(growth.temporal)),
  }));
  return `${table(rates)}\n\n${table(growth)}`;
}

const onlyTemporal = (load: LoadName, text: string) => (LOADS[load].part === 'temporal' ? text : '–');

/** The table of all steps of one kind of load. */
export const describeSteps = ({ load, steps }: LoadFigures): string =>
  table(
    steps.map((step) => ({
      [LOADS[load].title]: `${step.workers} workers`,
      'per second': short(step.perSecond),
      'CPU-ms of Postgres': figure(postgresOf(load, step)),
      'CPU-ms of Temporal': onlyTemporal(load, figure(step.cpuMs.temporal)),
      'connections active': step.connections.active.toFixed(1),
      'waiting for locks': step.connections.waiting.toFixed(1),
    })),
  );

/** Compares the cost of an operation beside pages at rest with that in empty tables. */
export function describeSlopes(pairs: { load: LoadName; empty: Step; full: Step }[]): string {
  return table(
    pairs.map(({ load, empty, full }) => ({
      load: LOADS[load].title,
      workers: full.workers,
      'CPU-ms of Postgres, empty tables': figure(postgresOf(load, empty)),
      'beside pages at rest': figure(postgresOf(load, full)),
      ratio: (postgresOf(load, full) / postgresOf(load, empty)).toFixed(2),
    })),
  );
}

/** What the parts take when no worker does anything. */
export const describeRest = ({ winnow, temporalDatabase, background, temporal }: PartsCpu): string =>
  `At rest, Postgres takes ${short(winnow + temporalDatabase + background)} CPU-ms in a second and Temporal ${short(temporal)}; both are left out below.`;
