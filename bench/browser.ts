import { parseArgs } from 'node:util';
import { measureVisitor, type VisitorFigures } from './browser/visitors.ts';
import { withSite } from './crawl/programs.ts';
import { short, table } from './figures.ts';

const HELP = `Opens pages that only scripts fill, with our browser engine and with plain Playwright, each page in a context of its own,
in turn. Prints pages per second and CPU of all processes, Chromium's among them.

Usage: node bench/browser.ts [OPTIONS]

  --pages N     pages of each run (120)
  --rounds N    how often everybody's turn comes (3)
  --atOnce N    pages open at once (4)
  --help        this text
`;

/** What plain Playwright waits for: the text itself, which it is told of, or a quiet network. */
const VISITORS = ['engine', 'playwright-told', 'playwright-networkidle'];

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '120' },
    rounds: { type: 'string', default: '3' },
    atOnce: { type: 'string', default: '4' },
    help: { type: 'boolean' },
  },
});
if (values.help) process.stdout.write(HELP);
else await main(Number(values.pages), Number(values.rounds), Number(values.atOnce));

async function main(pages: number, rounds: number, atOnce: number): Promise<void> {
  const runs = new Map<string, VisitorFigures[]>(VISITORS.map((name) => [name, []]));
  await withSite(pages, async ({ url }) => {
    for (let round = 0; round < rounds; round++) {
      for (const [name, own] of runs) own.push(await measureVisitor(name, { siteUrl: url, pages, atOnce }));
    }
  });
  const mean = (own: VisitorFigures[], pick: (run: VisitorFigures) => number) =>
    own.reduce((sum, run) => sum + pick(run), 0) / own.length;
  const ours = runs.get('engine')!;
  const rows = [...runs].map(([name, own]) => ({
    [`${pages} pages, ${rounds} times, ${atOnce} at once`]: name,
    'pages/s': short(mean(own, ({ perSecond }) => perSecond)),
    'CPU-ms per page': short(mean(own, ({ cpuMs }) => cpuMs)),
    'memory most MB': short(Math.max(...own.map(({ peakMb }) => peakMb))),
    'our speed ÷ its': (mean(ours, (run) => run.perSecond) / mean(own, (run) => run.perSecond)).toFixed(2),
    'our CPU ÷ its': (mean(ours, (run) => run.cpuMs) / mean(own, (run) => run.cpuMs)).toFixed(2),
  }));
  process.stdout.write(`${table(rows)}\n`);
}
