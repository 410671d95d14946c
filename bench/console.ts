import { type Browser, chromium } from 'playwright';
import { readConfig } from '../src/config.ts';
import { findChromium } from '../src/run/embedded/chromium.ts';
import { count, readCommandLine } from './command-line.ts';
import { measureFirstView } from './console/first-view.ts';
import { measureLongJob } from './console/long-job.ts';
import { measureWatchedCrawl } from './console/watched-crawl.ts';
import { startMeasuredService } from './crawl/service.ts';
import { table } from './figures.ts';

const HELP = `Measures the console in a second Chromium: how long it takes until its first view can be filled in, with a slowed-down
processor and an empty cache; how long frames take while the list of pages of a large job is scrolled; and the CPU time
of the service for a page of a crawl while a console watches it and while none does, in turns. Takes about five minutes.
Needs a Chromium, and starts the service with data of its own.

Usage: node bench/console.ts [OPTIONS]

  --slowdown N   how many times slower the processor is for the first view (4)
  --loads N      how often the first view is loaded; 0: not at all (9)
  --pages N      pages of the job that is scrolled; 0: none is (100000)
  --scroll N     seconds that it is scrolled (20)
  --turns N      turns with and without a console; 0: none (8)
  --seconds N    duration of a turn (12)
  --help         print this text
`;

const options = readCommandLine(HELP, {
  slowdown: count(4),
  loads: count(9, 0),
  pages: count(100_000, 0),
  scroll: count(20),
  turns: count(8, 0),
  seconds: count(12),
});

/** A browser with a display rate of its own, in which nothing else runs. */
async function openBrowser(): Promise<Browser> {
  const { path: executablePath } = await findChromium(readConfig());
  return chromium.launch({ executablePath });
}

const service = await startMeasuredService();
const browser = await openBrowser();
try {
  const print = (rows: Record<string, string | number>[]) => process.stdout.write(`${table(rows)}\n\n`);
  if (options.loads) print(await measureFirstView(browser, service.instance, options));
  if (options.pages) print(await measureLongJob(browser, service.instance, options));
  if (options.turns) print(await measureWatchedCrawl(browser, service, options));
} finally {
  await browser.close();
  await service.instance.stop();
}
