// Drives a browser session by Playwright for JavaScript; ../run-client.ts says what each step has to show.
import { chromium } from 'playwright';
import { FILE, readByProtocol, SITE, setting, step, URL_OF_SESSION } from './steps.ts';

const connect = (url = URL_OF_SESSION) => chromium.connectOverCDP(url);
let browser = (await step('connect', () => connect()))!;
const context = browser.contexts()[0]!;
const page = context.pages()[0] ?? (await context.newPage());
await step('navigate', async () => {
  await page.goto(`${SITE}/`);
  return page.title();
});
await step('upload', async () => {
  await page.setInputFiles('input', FILE);
  return page.evaluate('document.querySelector("input").files[0].text()') as Promise<string>;
});
await step('download', async () => {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#download')]);
  const session = await browser.newBrowserCDPSession();
  const text = await readByProtocol(
    (method, params) => session.send(method, params),
    download.suggestedFilename(),
  );
  const saved = await download.saveAs(`${FILE}.saved`).catch((error: Error) => error.message);
  return { text, ownError: saved };
});
await step('tabs', async () => {
  const second = await context.newPage();
  await second.goto(`${SITE}/second`);
  const [popup] = await Promise.all([page.waitForEvent('popup'), page.click('#popup')]);
  await popup.waitForURL(`${SITE}/popup`);
  await popup.waitForLoadState();
  const titles = await Promise.all([page, second, popup].map((each) => each.title()));
  await popup.close();
  return titles;
});
await step('reconnect', async () => {
  await browser.close();
  browser = await connect();
  return Promise.all(
    browser
      .contexts()[0]!
      .pages()
      .map((each) => each.title()),
  );
});
const [again] = browser.contexts()[0]!.pages();
await step('unreachable', () => again!.goto(setting('UNREACHABLE')));
await step('private', () => again!.goto(setting('PRIVATE')));
await step('ended', () => connect(setting('ENDED')));
await step('unknown', () => connect(setting('UNKNOWN')));
await step('killed', async () => {
  await fetch(setting('END_SESSION'));
  await again!.evaluate('new Promise(() => undefined)');
});
process.exit();
