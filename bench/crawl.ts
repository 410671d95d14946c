import { withBench } from './crawl/bench.ts';
import { type Options, readOptions } from './crawl/options.ts';
import { comparePeers } from './crawl/peers.ts';
import { measureSdk } from './crawl/sdk.ts';
import { measureSize, type SizeFigures } from './crawl/sizes.ts';
import { compareSizes, describeSize } from './crawl/sizes-report.ts';
import { measureTeams } from './crawl/teams.ts';
import { describeIdle } from './crawl/watch.ts';
import { runInterruptible } from './interrupt.ts';

/** Measures the cost of a page of a crawl. */
async function main(options: Options, interrupt: AbortSignal): Promise<void> {
  const print = (text: string) => console.log(`${text}\n`);
  await withBench(options, interrupt, async (bench) => {
    print(await describeIdle(bench.service.roots));
    const sizes: SizeFigures[] = [];
    for (const pages of options.sizes) {
      const figures = await measureSize(bench, pages);
      sizes.push(figures);
      print(describeSize(figures));
    }
    if (sizes.length) print(compareSizes(sizes));
    if (options.peerPages) print(await comparePeers(bench));
    if (options.teamPages) print(await measureTeams(bench));
    if (options.sdkPages) print(await measureSdk(bench));
    if (sizes.some(({ isRight }) => !isRight)) process.exitCode = 1;
  });
}

const options = readOptions();
await runInterruptible((interrupt) => main(options, interrupt));
