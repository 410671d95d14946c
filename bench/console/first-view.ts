import { loadavg } from 'node:os';
import type { Browser } from 'playwright';
import type { Caller } from '../crawl/service.ts';
import { percentile, short } from '../figures.ts';
import { openConsole } from './open-console.ts';

/** Measures how long the first view takes until its first field can be filled in, with an empty cache. */
export async function measureFirstView(
  browser: Browser,
  caller: Caller,
  { loads, slowdown }: { loads: number; slowdown: number },
) {
  const times: number[] = [];
  const drawn: number[] = [];
  const bytes: number[] = [];
  for (let load = 0; load <= loads; load++) {
    const page = await openConsole(browser, caller);
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await session.send('Network.enable');
    let sent = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      sent += encodedDataLength;
    });
    await page.addInitScript(watchFirstField);
    await page.goto(`${caller.url}/console`);
    await page.getByLabel('url', { exact: true }).waitFor();
    const [ready, first] = await page.evaluate(() => [
      globalThis.firstFieldAt ?? Number.NaN,
      performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    ]);
    await page.context().close();
    // The first load has the service make its files.
    if (load === 0) continue;
    times.push(ready!);
    drawn.push(first!);
    bytes.push(sent);
  }
  return [
    {
      'first view': `${slowdown} times slower`,
      load: short(loadavg()[0] ?? 0),
      'KB sent': short(percentile(bytes, 0.5) / 1000),
      'something drawn, p50 ms': short(percentile(drawn, 0.5)),
      'field to fill in, p50 ms': short(percentile(times, 0.5)),
      'best ms': short(Math.min(...times)),
      'worst ms': short(Math.max(...times)),
    },
  ];
}

declare global {
  /** When the first field was in the page, in milliseconds after the navigation began. */
  var firstFieldAt: number | undefined;
}

/** Runs in the page before its scripts: notes when the first field is drawn. */
function watchFirstField(): void {
  new MutationObserver((_, observer) => {
    if (!document.querySelector('main form input:not([type="checkbox"])')) return;
    observer.disconnect();
    // It can be filled in when the frame that has it is on the screen.
    requestAnimationFrame(() =>
      setTimeout(() => {
        globalThis.firstFieldAt = performance.now();
      }),
    );
  }).observe(document, { childList: true, subtree: true });
}
