import { articlePage } from '../test/site/article.ts';
import { count, readCommandLine } from './command-line.ts';
import { percentile, short, table } from './figures.ts';
import { installPeers } from './peers/install.ts';
import { type Convert, cheerioTurndown } from './peers/markdown.ts';
import { markdownOf } from './quality/kit.ts';

const HELP = `Converts articles of the generated site from bytes to markdown of the main content, with the service's code (parse, clean,
filter, markdown) and with cheerio and turndown, in turn, in this process. Prints CPU time per page. Takes about half a minute.
The first run installs the other packages from the npm registry into bench/peers/node_modules.

Usage: node bench/conversion.ts [OPTIONS]

  --pages N     number of articles, 30 to 120 KB each (60)
  --rounds N    number of conversions of each, after one for warming up (5)
  --help        print this text
`;

const options = readCommandLine(HELP, { pages: count(60), rounds: count(5) });
await main(options.pages, options.rounds);

async function main(count: number, rounds: number): Promise<void> {
  await installPeers();
  const pages = Array.from({ length: count }, (_, n) => articlePage(n, 'http://site.test'));
  const converters: Record<string, Convert> = {
    Winnow: (text) => markdownOf('http://site.test/article', text),
    'cheerio + turndown': await cheerioTurndown(),
  };
  const times = new Map<string, number[]>(Object.keys(converters).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const page of pages) {
      for (const [name, convert] of Object.entries(converters)) {
        const start = process.cpuUsage();
        convert(page.toString());
        const { user, system } = process.cpuUsage(start);
        if (round > 0) times.get(name)!.push((user + system) / 1000);
      }
    }
  }
  const meanOf = (own: number[]) => own.reduce((sum, ms) => sum + ms, 0) / own.length;
  const mean = meanOf(times.get('Winnow')!);
  const rows = [...times].map(([name, own]) => ({
    [`${count} articles, ${rounds} times`]: name,
    'CPU-ms, p50': short(percentile(own, 0.5)),
    mean: short(meanOf(own)),
    p99: short(percentile(own, 0.99)),
    'our mean ÷ its': (mean / meanOf(own)).toFixed(2),
  }));
  process.stdout.write(`${table(rows)}\n`);
}
