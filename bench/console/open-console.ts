import type { Browser, Page } from 'playwright';
import type { Caller } from '../crawl/service.ts';

/** Opens the console in a context of its own, whose cache is empty. Closing the context of the page ends it. */
export async function openConsole(browser: Browser, { key }: Caller): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  // A busy machine takes its time.
  context.setDefaultTimeout(0);
  await context.addInitScript((value) => sessionStorage.setItem('winnow-api-key', value), key);
  return context.newPage();
}
