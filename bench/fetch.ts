import { count, readCommandLine } from './command-line.ts';
import { crawlWith, figuresOf } from './crawl/crawlers.ts';
import { type CrawlerOutcome, withSite } from './crawl/programs.ts';
import { short, table } from './figures.ts';

const HELP = `Fetches static pages (articles of 30 to 120 KB) and converts them to markdown in the service's threads, without API,
Temporal and Postgres: through our engines and with undici alone, in turn, each in a process of its own. Prints pages per
second, CPU time per page and the ratios. Exits with 1 if the two made different markdown. Takes about two minutes.

Usage: node bench/fetch.ts [OPTIONS]

  --pages N     pages of each run, after as many for warming up (1000)
  --rounds N    number of runs of each (4)
  --atOnce N    pages fetched at once (8)
  --help        print this text
`;

const FETCHER = new URL('./fetch/fetcher.ts', import.meta.url);
const GOAL = 0.95;

const options = readCommandLine(HELP, { pages: count(1_000), rounds: count(4), atOnce: count(8) });
await main(options);

async function main({ pages, rounds, atOnce }: typeof options): Promise<void> {
  const [ours, theirs]: [CrawlerOutcome[], CrawlerOutcome[]] = [[], []];
  await withSite(pages, async ({ url: warmUpUrl }) => {
    const run = async (way: string) =>
      crawlWith(FETCHER, { graph: 'library', pages, warmUpUrl, setting: `${way}-${atOnce}` });
    for (let round = 0; round < rounds; round++) {
      // The order alternates between rounds.
      if (round % 2) theirs.push(await run('undici'));
      ours.push(await run('engine'));
      if (round % 2 === 0) theirs.push(await run('undici'));
    }
  });
  const row = (name: string, runs: CrawlerOutcome[]) => {
    const { perSecond, cpuMs, peakMb } = figuresOf(runs);
    return {
      [`${pages} pages, ${rounds} times, ${atOnce} at once`]: name,
      'pages/s': short(perSecond),
      'CPU-ms per page': short(cpuMs),
      'memory most MB': short(peakMb),
      'pages/s of each round': runs.map((run) => short((run.pages / run.totalMs) * 1000)).join(' '),
    };
  };
  const [our, their] = [figuresOf(ours), figuresOf(theirs)];
  const isSame = new Set([...ours, ...theirs].map(({ markdownBytes }) => markdownBytes)).size === 1;
  process.stdout.write(
    `${table([row('our engines', ours), row('undici', theirs)])}

our speed ÷ its: ${(our.perSecond / their.perSecond).toFixed(2)} (goal: at least ${GOAL}), our CPU ÷ its: ${(our.cpuMs / their.cpuMs).toFixed(2)}
The same markdown from both: ${isSame ? 'yes' : 'NO'}.
`,
  );
  if (!isSame) process.exitCode = 1;
}
