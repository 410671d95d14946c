import { MAX_LOADING_PAGES, MAX_OPEN_PAGES } from '../src/fetch/browser/chromium/open-pages.ts';
import { measureVisitor, VISITORS, type VisitorFigures } from './browser/visitors.ts';
import { choices, count, readCommandLine } from './command-line.ts';
import { withSite } from './crawl/programs.ts';
import { short, table } from './figures.ts';
import { installPeers } from './peers/install.ts';

const HELP = `Opens pages that only scripts fill, with our browser engine, with plain Playwright and with Crawlee's
PlaywrightCrawler, in turn, all in the same Chromium with its sandbox on. Prints pages per second, and the CPU time of all
processes including Chromium's. By default, our engine has as many pages open as a worker has. Each of the others is measured with
that many pages, and with as many as a worker loads at once, because either may be its faster way.

With --atOnce 1, it prints how long a page takes, too. What the engine takes longer than playwright-told, which knows the text of
the page, is what it waits beyond what the page needs, and what its proxy costs.

Usage: node bench/browser.ts [OPTIONS]

  --pages N           pages of each run (120)
  --rounds N          number of runs of each visitor (3)
  --atOnce N          pages open at once, of all visitors
  --visitors A,B,…    what opens the pages; by default all except playwright-told-unsandboxed:
                      engine                        our browser engine, as single scrapes use it
                      engine-job                    the same, as pages of one job use it
                      playwright-told               Playwright, told which text to wait for
                      playwright-told-unsandboxed   the same without Chromium's sandbox
                      playwright-networkidle        Playwright, waits until the network is idle
                      crawlee-contexts              Crawlee, told; a context per page, as in all of the above
                      crawlee-contexts-plain        the same without generated fingerprints
                      crawlee-one-context           Crawlee, told; one context for all pages, which is its default
  --help              print this text

Takes about eight minutes. Needs a Chromium. The first run installs Crawlee from the npm registry into bench/peers/node_modules.
`;

const BY_DEFAULT = Object.keys(VISITORS).filter((name) => !name.endsWith('-unsandboxed'));

const options = readCommandLine(HELP, {
  pages: count(120),
  rounds: count(3),
  atOnce: count(undefined),
  visitors: choices(Object.keys(VISITORS), BY_DEFAULT),
});
await main(options);

/** How many pages a visitor has open by default. */
function atOnceOf(name: string): number[] {
  return name.startsWith('engine') ? [MAX_OPEN_PAGES] : [MAX_LOADING_PAGES, MAX_OPEN_PAGES];
}

async function main({ pages, rounds, atOnce, visitors: names }: typeof options): Promise<void> {
  if (names.some((name) => name.startsWith('crawlee'))) await installPeers();
  const runs = names.flatMap((name) =>
    (atOnce === undefined ? atOnceOf(name) : [atOnce]).map((count) => ({
      name,
      atOnce: count,
      own: [] as VisitorFigures[],
    })),
  );
  await withSite(pages, async ({ url }) => {
    for (let round = 0; round < rounds; round++) {
      for (const run of runs) {
        run.own.push(await measureVisitor(run.name, { siteUrl: url, pages, atOnce: run.atOnce }));
      }
    }
  });
  const mean = (own: VisitorFigures[], pick: (run: VisitorFigures) => number) =>
    own.reduce((sum, run) => sum + pick(run), 0) / own.length;
  const ours = (runs.find(({ name }) => name === 'engine-job') ?? runs.find(({ name }) => name === 'engine'))
    ?.own;
  const ratio = (own: VisitorFigures[], pick: (run: VisitorFigures) => number) =>
    ours ? (mean(ours, pick) / mean(own, pick)).toFixed(2) : '–';
  const rows = runs.map(({ name, atOnce, own }) => ({
    [`${pages} pages, ${rounds} times`]: name,
    'at once': atOnce,
    'pages/s': short(mean(own, ({ perSecond }) => perSecond)),
    'CPU-ms per page': short(mean(own, ({ cpuMs }) => cpuMs)),
    'memory most MB': short(Math.max(...own.map(({ peakMb }) => peakMb))),
    ...(atOnce === 1 && { 'ms of a page, p50': short(mean(own, ({ apartMs }) => apartMs)) }),
    'our speed ÷ its': ratio(own, ({ perSecond }) => perSecond),
    'our CPU ÷ its': ratio(own, ({ cpuMs }) => cpuMs),
  }));
  process.stdout.write(`${table(rows)}\n`);
}
