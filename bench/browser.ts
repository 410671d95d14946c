import { parseArgs } from 'node:util';
import { measureVisitor, VISITORS, type VisitorFigures } from './browser/visitors.ts';
import { count } from './crawl/options.ts';
import { withSite } from './crawl/programs.ts';
import { short, table } from './figures.ts';
import { installPeers } from './peers/install.ts';

const HELP = `Opens pages that only scripts fill, with our browser engine, with plain Playwright and with Crawlee's
PlaywrightCrawler, in turn, all in the same Chromium with its sandbox on. Prints pages per second, and the CPU time of all
processes including Chromium's.

With --atOnce 1, it prints how long a page takes, too. What the engine takes longer than playwright-told, which knows the text of
the page, is what it waits beyond what the page needs, and what its proxy costs.

Usage: node bench/browser.ts [OPTIONS]

  --pages N           pages of each run (120)
  --rounds N          number of runs of each visitor (3)
  --atOnce N          pages open at once (4)
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

The first run installs Crawlee from the npm registry into bench/peers/node_modules.
`;

const BY_DEFAULT = Object.keys(VISITORS).filter((name) => !name.endsWith('-unsandboxed'));

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '120' },
    rounds: { type: 'string', default: '3' },
    atOnce: { type: 'string', default: '4' },
    visitors: { type: 'string', default: BY_DEFAULT.join(',') },
    help: { type: 'boolean' },
  },
});
if (values.help) process.stdout.write(HELP);
else await main(values.visitors.split(','));

async function main(names: string[]): Promise<void> {
  const pages = count('pages', values.pages);
  const rounds = count('rounds', values.rounds);
  const atOnce = count('atOnce', values.atOnce);
  const unknown = names.find((name) => !(name in VISITORS));
  if (unknown !== undefined) throw new Error(`--visitors knows no ${JSON.stringify(unknown)}, see --help`);
  if (names.some((name) => name.startsWith('crawlee'))) await installPeers();
  const runs = new Map<string, VisitorFigures[]>(names.map((name) => [name, []]));
  await withSite(pages, async ({ url }) => {
    for (let round = 0; round < rounds; round++) {
      for (const [name, own] of runs) own.push(await measureVisitor(name, { siteUrl: url, pages, atOnce }));
    }
  });
  const mean = (own: VisitorFigures[], pick: (run: VisitorFigures) => number) =>
    own.reduce((sum, run) => sum + pick(run), 0) / own.length;
  const ours = runs.get('engine-job') ?? runs.get('engine');
  const ratio = (own: VisitorFigures[], pick: (run: VisitorFigures) => number) =>
    ours ? (mean(ours, pick) / mean(own, pick)).toFixed(2) : '–';
  const rows = [...runs].map(([name, own]) => ({
    [`${pages} pages, ${rounds} times, ${atOnce} at once`]: name,
    'pages/s': short(mean(own, ({ perSecond }) => perSecond)),
    'CPU-ms per page': short(mean(own, ({ cpuMs }) => cpuMs)),
    'memory most MB': short(Math.max(...own.map(({ peakMb }) => peakMb))),
    ...(atOnce === 1 && { 'ms of a page, p50': short(mean(own, ({ apartMs }) => apartMs)) }),
    'our speed ÷ its': ratio(own, ({ perSecond }) => perSecond),
    'our CPU ÷ its': ratio(own, ({ cpuMs }) => cpuMs),
  }));
  process.stdout.write(`${table(rows)}\n`);
}
