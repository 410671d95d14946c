import { execFile } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { untilAborted } from '../src/system/until-aborted.ts';
import { checkOut, git, ROOT } from './checkout.ts';
import { count, readCommandLine, text } from './command-line.ts';
import { crawlWith } from './crawl/crawlers.ts';
import { withSite } from './crawl/programs.ts';
import { percentile, table } from './figures.ts';
import { runInterruptible } from './interrupt.ts';

const HELP = `Finds out whether a page of a batch has become more expensive since the last commit that changed
docs/benchmarks.md, and in which stage. Each round measures that commit and the working tree, and before each of them a yardstick: the fetch and the conversion
of that commit in memory. Costs are multiples of the yardstick, because the speed of a machine changes from minute to minute.
A stage is more expensive if its lowest cost now is above its highest one before, and its median by a twentieth.
Exits with 1 if one is. Takes about five minutes. Needs what bench/profile.ts needs, and git.

Usage: node bench/guard.ts [OPTIONS]

  --base COMMIT  compare with this commit instead
  --pages N      pages of each batch (400)
  --rounds N     rounds, of which three or fewer prove little (5)
  --help         print this text
`;

/** Stages below this share of the yardstick are not printed, and do not count. */
const LEAST_COST = 0.01;
/** Differences below this ratio are taken for noise. */
const LEAST_RATIO = 1.05;
const run = promisify(execFile);

const options = readCommandLine(HELP, { base: text(undefined), pages: count(400), rounds: count(5) });

/** What `bench/profile.ts --json` prints: CPU milliseconds of a page, by stage. */
const profile = z.record(z.string(), z.number());

/** The costs of each stage, one for each round. */
type Costs = Map<string, number[]>;

/** Measures a page of a batch in a tree. @throws Error if its benchmark fails, or cannot print JSON yet */
async function measureStages(
  tree: string,
  { pages, interrupt }: { pages: number; interrupt: AbortSignal },
): Promise<Record<string, number>> {
  const program = path.join(tree, 'bench', 'profile.ts');
  const { stdout } = await run(process.execPath, [program, '--pages', String(pages), '--json'], {
    cwd: tree,
    maxBuffer: 16 * 1024 * 1024,
    signal: interrupt,
  });
  try {
    return profile.parse(JSON.parse(stdout));
  } catch (cause) {
    throw new Error(`${program} did not print a profile as JSON. Choose a later commit with --base.`, {
      cause,
    });
  }
}

/** Measures the fetch and the conversion of a page in memory. @returns CPU milliseconds of a page */
async function measureYardstick(tree: string, pages: number): Promise<number> {
  const program = pathToFileURL(path.join(tree, 'bench', 'fetch', 'fetcher.ts'));
  return withSite(pages, async ({ url: warmUpUrl }) => {
    const { cpuMs } = await crawlWith(program, { graph: 'library', pages, warmUpUrl, setting: 'engine-8' });
    return cpuMs / pages;
  });
}

/** @returns the sum of all stages, in CPU milliseconds of a page */
function addCosts(costs: Costs, stages: Record<string, number>, yardstickMs: number): number {
  const sum = Object.values(stages).reduce((total, ms) => total + ms, 0);
  for (const [stage, ms] of Object.entries({ sum, ...stages }))
    costs.set(stage, [...(costs.get(stage) ?? []), ms / yardstickMs]);
  return sum;
}

/** Compares the costs of a stage. A stage that one of the trees does not have costs nothing there. */
function compare(stage: string, before: Costs, now: Costs) {
  const [old = [0], current = [0]] = [before.get(stage), now.get(stage)];
  const [oldCost, cost] = [percentile(old, 0.5), percentile(current, 0.5)];
  const isMoreExpensive = Math.min(...current) > Math.max(...old) && cost >= oldCost * LEAST_RATIO;
  return { stage, oldCost, cost, isMoreExpensive };
}

async function main({ pages, rounds, ...given }: typeof options, interrupt: AbortSignal): Promise<void> {
  const base = given.base ?? (await git('log', '-1', '--format=%H', '--', 'docs/benchmarks.md'));
  const commit = await git('rev-parse', '--short', base);
  const tree = await checkOut(commit);
  const [before, now]: [Costs, Costs] = [new Map(), new Map()];
  const sides = [
    { name: commit, directory: tree.directory, costs: before },
    { name: 'working tree', directory: ROOT, costs: now },
  ];
  try {
    for (let round = 0; round < rounds; round++) {
      // The order alternates between rounds.
      for (const { name, directory, costs } of round % 2 ? sides.toReversed() : sides) {
        const yardstickMs = await untilAborted(() => measureYardstick(tree.directory, pages), interrupt);
        const sum = addCosts(costs, await measureStages(directory, { pages, interrupt }), yardstickMs);
        process.stderr.write(
          `round ${round + 1} of ${rounds}, ${name}: ${sum.toFixed(1)} CPU-ms a page, yardstick ${yardstickMs.toFixed(1)}\n`,
        );
      }
    }
  } finally {
    await tree.remove();
  }
  const stages = [...new Set([...before.keys(), ...now.keys()])]
    .map((stage) => compare(stage, before, now))
    .filter(({ oldCost, cost }) => Math.max(oldCost, cost) >= LEAST_COST)
    .sort((one, other) => other.cost - one.cost);
  process.stdout.write(
    `${table(
      stages.map(({ stage, oldCost, cost, isMoreExpensive }) => ({
        'cost of a page, in yardsticks': stage,
        [commit]: oldCost.toFixed(3),
        'working tree': cost.toFixed(3),
        ratio: oldCost > 0 ? (cost / oldCost).toFixed(2) : 'new',
        '': isMoreExpensive ? 'more expensive' : '',
      })),
    )}\n`,
  );
  const expensive = stages.filter(({ isMoreExpensive }) => isMoreExpensive).map(({ stage }) => stage);
  process.stdout.write(
    `\n${expensive.length ? `More expensive: ${expensive.join('; ')}.` : 'No stage became more expensive.'}\n`,
  );
  if (expensive.length) process.exitCode = 1;
}

await runInterruptible((interrupt) => main(options, interrupt));
