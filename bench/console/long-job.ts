import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright';
import { runningDatabaseUrl } from '../../src/run/embedded/postgres.ts';
import { openDatabase } from '../../src/storage/db/client.ts';
import type { RunningService } from '../../test/support/service/start-service.ts';
import { startPages } from '../../test/support/sites/pages.ts';
import { copyPages } from '../../test/support/storage/copy-pages.ts';
import { readHead, startJob } from '../crawl/service.ts';
import { percentile, short } from '../figures.ts';
import { openConsole } from './open-console.ts';

/** A frame that takes longer than this is noticed. */
const SLOW_FRAME_MS = 50;
/** How far a turn of the wheel goes, and the pause until the next one. */
const WHEEL_PX = 700;
const WHEEL_MS = 40;
/** The pause between two looks at the job. */
const LOOK_MS = 200;
const PAGE =
  '<!doctype html><title>A tea of the hills</title><main><p>A tea that is picked in spring.</p></main>';

/** Measures the frames while the list of a job with very many pages is scrolled by a wheel, back and forth. */
export async function measureLongJob(
  browser: Browser,
  service: RunningService,
  { pages, scroll: seconds }: { pages: number; scroll: number },
) {
  await using site = await startPages({ '/': PAGE });
  const path = await startJob(service, '/v2/batch/scrape', { urls: [`${site.url}/`] });
  while ((await readHead(service, path)).status === 'scraping') await sleep(LOOK_MS);
  const db = openDatabase(runningDatabaseUrl(service.dataDir), () => undefined);
  await copyPages(db, path.split('/').at(-1)!, { pages, failed: 1 });
  await db.close();
  const page = await openConsole(browser, service);
  await page.goto(`${service.url}/console/jobs/${path.replace('/v2/batch/scrape', 'batch_scrape')}`);
  const list = page.getByRole('list', { name: 'Documents' });
  await list.getByRole('button').first().getByText('A tea of the hills').waitFor();
  await list.hover();
  const rows = [];
  for (const isScrolled of [false, true]) {
    await page.evaluate(watchFrames);
    const until = performance.now() + seconds * 1000;
    for (let turn = 0; performance.now() < until; turn++) {
      // Most of the way down, and some of it back up.
      if (isScrolled) await page.mouse.wheel(0, turn % 20 < 15 ? WHEEL_PX : -WHEEL_PX);
      await sleep(WHEEL_MS);
    }
    const seen = await page.evaluate(() => globalThis.seenFrames);
    rows.push(describeFrames(`${pages} pages, ${isScrolled ? 'scrolled' : 'at rest'}`, seen));
  }
  const scrolled = await list.evaluate((element) => element.scrollTop);
  await page.context().close();
  if (!scrolled) throw new Error('The list was not scrolled, so its frames say nothing.');
  return rows;
}

function describeFrames(what: string, { frames, tasks }: typeof globalThis.seenFrames) {
  return {
    'list of a job': what,
    load: short(loadavg()[0] ?? 0),
    frames: frames.length,
    'p99 ms': short(percentile(frames, 0.99)),
    'longest ms': short(Math.max(...frames)),
    [`frames over ${SLOW_FRAME_MS} ms`]: frames.filter((ms) => ms > SLOW_FRAME_MS).length,
    'tasks of the page over 50 ms': tasks.length,
  };
}

declare global {
  /** Milliseconds of each frame, and of each task of the page that took longer than 50. */
  var seenFrames: { frames: number[]; tasks: number[] };
}

/** Runs in the page: notes how long its frames and tasks take. */
function watchFrames(): void {
  const isWatched = globalThis.seenFrames !== undefined;
  globalThis.seenFrames = { frames: [], tasks: [] };
  if (isWatched) return;
  new PerformanceObserver((entries) =>
    globalThis.seenFrames.tasks.push(...entries.getEntries().map(({ duration }) => duration)),
  ).observe({ type: 'longtask' });
  let last = performance.now();
  const note = (now: number) => {
    globalThis.seenFrames.frames.push(now - last);
    last = now;
    requestAnimationFrame(note);
  };
  requestAnimationFrame((now) => {
    last = now;
    requestAnimationFrame(note);
  });
}
