import { count, flag, readCommandLine } from './command-line.ts';
import { short, table } from './figures.ts';
import { MIX } from './soak/mix.ts';
import { type Soak, type SoakOptions, slopeOf, soak } from './soak/soak.ts';

const HELP = `Opens many pages with our browser engine and its pool in a separate process, as in a worker, and checks that memory does
not grow and nothing is left behind. Of a hundred pages,
${MIX.map(({ share, name }) => `${share} ${name}`).join(', ')}.
Prints memory (PSS) over time, its slope after the first tenth, the outcomes of the pages, and what is left at the end.
Exits with 1 if a page had an unexpected outcome, or a process or file was left behind.
Takes about ten minutes. Needs a Chromium.

Usage: node bench/soak.ts [OPTIONS]

  --pages N     number of pages (2000)
  --atOnce N    pages open at once (8)
  --uses N      number of pages after which a browser is replaced (1000, as in the service)
  --collect     collect garbage in the worker from time to time, so that its memory is what it holds
  --help        print this text
`;

/** Rows of the table of memory. */
const ROWS = 10;

const options = readCommandLine(HELP, {
  pages: count(2_000),
  atOnce: count(8),
  uses: count(1_000),
  collect: flag(),
});
await main(options);

async function main(task: SoakOptions): Promise<void> {
  const result = await soak(task);
  process.stdout.write(`${describe(result, task.pages)}\n`);
  if (result.wrong.length || result.left.length) process.exitCode = 1;
}

function describe({ looks, outcomes, wrong, left, seconds, browsers }: Soak, pages: number): string {
  // Samples after the last page belong to the end.
  const during = looks.filter(({ done }) => done < pages);
  const tenths = Array.from({ length: ROWS }, (_, row) => {
    const own = during.filter(({ done }) => Math.floor((done / pages) * ROWS) === row);
    const mean = (figure: 'workerMb' | 'heapMb' | 'chromiumMb') =>
      short(own.reduce((sum, look) => sum + look[figure], 0) / own.length);
    return {
      pages: `${(row * pages) / ROWS} to ${((row + 1) * pages) / ROWS}`,
      'worker MB': mean('workerMb'),
      'its heap MB': mean('heapMb'),
      'Chromium MB': mean('chromiumMb'),
    };
  });
  const grown = during.filter(({ done }) => done >= pages / ROWS);
  const slopes = (['workerMb', 'heapMb', 'chromiumMb'] as const).map(
    (figure) =>
      `${figure.slice(0, -2)} ${slopeOf(grown.map((look) => [look.done / 1000, look[figure]])).toFixed(1)}`,
  );
  return `${table(tenths)}

MB per 1,000 pages after the first tenth, by least squares: ${slopes.join(', ')}
${pages} pages in ${seconds.toFixed(0)} s, by ${browsers} browsers

${table(outcomes)}

Otherwise than they should: ${wrong.length ? wrong.join('\n') : 'none'}
Left behind: ${left.length ? left.join('\n') : 'nothing'}`;
}
