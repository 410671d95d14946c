import { availableParallelism } from 'node:os';
import { storePagesAtRest } from './capacity/fill.ts';
import { LOAD_NAMES, LOADS, type LoadName } from './capacity/loads/index.ts';
import { type LoadFigures, measureLoad, measureRest, type Step } from './capacity/measure.ts';
import type { PartsCpu } from './capacity/observe.ts';
import { describeLoads, describeRest, describeSlopes, describeSteps } from './capacity/report.ts';
import { type StartedParts, startParts } from './capacity/shared-parts.ts';
import { choices, count, counts, readCommandLine } from './command-line.ts';
import { runInterruptible } from './interrupt.ts';

const HELP = `Measures what the parts that all processes share can carry: one Postgres and one Temporal server, as docker-compose.yml
has them, with data of their own. Simulated workers run the product's statements and workflows with made results; nothing is
fetched or converted. Their number doubles until the rate grows by less than a tenth. Then the same statements run beside pages at
rest. Takes about five minutes, and once some more to build the Temporal server with Go 1.21 or newer. Needs Linux.

The simulated workers take CPU time of the same machine, so the rates are those of this machine, and the CPU-ms of each operation
are what to reckon with.

Usage: node bench/capacity.ts [OPTIONS]

  --loads NAMES     some of ${LOAD_NAMES.join(', ')} (all)
  --workers N,…     numbers of simulated workers (1,2,4,8,16,32,64)
  --seconds N       how long each number of workers is measured (4)
  --rest PAGES      pages at rest (1000000); 0 leaves the second part out
  --processes N     processes that simulate workers (half of the processors)
  --help            print this text
`;

const options = readCommandLine(HELP, {
  loads: choices(LOAD_NAMES, LOAD_NAMES),
  workers: counts([1, 2, 4, 8, 16, 32, 64]),
  seconds: count(4),
  rest: count(1_000_000, 0),
  processes: count(Math.max(1, Math.floor(availableParallelism() / 2))),
});

interface Run {
  parts: StartedParts;
  rest: PartsCpu;
  interrupt: AbortSignal;
}

/** Measures each kind of load, and prints all steps as they are done. */
async function measureLoads({ parts, rest, interrupt }: Run): Promise<LoadFigures[]> {
  const all: LoadFigures[] = [];
  for (const load of options.loads) {
    const { workers: levels, seconds } = options;
    const figures = await measureLoad(parts, { load, levels, seconds, rest, interrupt });
    console.log(`${describeSteps(figures)}\n`);
    all.push(figures);
  }
  return all;
}

/** Measures the loads of Postgres with as many workers as were quickest, before and after its tables are filled. */
async function measureSlopes({ parts, rest, interrupt }: Run, all: LoadFigures[]) {
  const loads = all.filter(({ load }) => LOADS[load].part === 'postgres');
  const measureAgain = async (): Promise<Map<LoadName, Step>> => {
    const steps = new Map<LoadName, Step>();
    for (const { load, best } of loads) {
      const again = { load, levels: [best.workers], seconds: 2 * options.seconds, rest, interrupt };
      steps.set(load, (await measureLoad(parts, again)).best);
    }
    return steps;
  };
  const empty = await measureAgain();
  await storePagesAtRest(parts.db, options.rest);
  const full = await measureAgain();
  return loads.map(({ load }) => ({ load, empty: empty.get(load)!, full: full.get(load)! }));
}

await runInterruptible(async (interrupt) => {
  const parts = await startParts({ generators: options.processes, interrupt });
  try {
    const run = { parts, rest: await measureRest(parts, options.seconds), interrupt };
    console.log(`${describeRest(run.rest)}\n`);
    const all = await measureLoads(run);
    console.log(`The quickest number of workers of each load\n\n${describeLoads(all)}\n`);
    if (options.rest === 0) return;
    const slopes = await measureSlopes(run, all);
    console.log(`Beside ${options.rest} pages at rest\n\n${describeSlopes(slopes)}`);
  } finally {
    await parts.stop();
  }
});
