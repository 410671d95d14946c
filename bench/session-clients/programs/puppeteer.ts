// Drives a browser session by Puppeteer; ../run-client.ts says what each step has to show.
import puppeteer, { type Page } from 'puppeteer-core';
import { FILE, NAME, readByProtocol, SITE, setting, step, URL_OF_SESSION, uploadToSession } from './steps.ts';

const connect = (url = URL_OF_SESSION) => puppeteer.connect({ browserWSEndpoint: url });
let browser = (await step('connect', () => connect()))!;
const page = (await browser.pages())[0]!;
await step('navigate', async () => {
  await page.goto(`${SITE}/`);
  return page.title();
});
await step('upload', async () => {
  await uploadToSession();
  const input = await page.$('input');
  await input!.uploadFile(FILE);
  return page.evaluate('document.querySelector("input").files[0].text()') as Promise<string>;
});
await step('download', async () => {
  const session = await browser.target().createCDPSession();
  const ended = new Promise((resolve) => {
    session.on('Browser.downloadProgress', ({ state }) => state !== 'inProgress' && resolve(state));
  });
  await session.send('Browser.setDownloadBehavior', {
    behavior: 'allow',
    downloadPath: '/tmp',
    eventsEnabled: true,
  });
  await page.click('#download');
  await ended;
  return { text: await readByProtocol((method, params) => session.send(method, params), NAME) };
});
await step('tabs', async () => {
  const second = await browser.newPage();
  await second.goto(`${SITE}/second`);
  await page.bringToFront();
  const opened = new Promise<Page>((resolve) => page.once('popup', (popup) => resolve(popup!)));
  await page.click('#popup');
  const popup = await opened;
  await popup.waitForFunction('document.title === "Popup"');
  const titles = await Promise.all([page, second, popup].map((each) => each.title()));
  await popup.close();
  return titles;
});
await step('reconnect', async () => {
  await browser.disconnect();
  browser = await connect();
  return Promise.all((await browser.pages()).map((each) => each.title()));
});
const [again] = await browser.pages();
await step('unreachable', () => again!.goto(setting('UNREACHABLE')));
await step('private', () => again!.goto(setting('PRIVATE')));
await step('ended', () => connect(setting('ENDED')));
await step('unknown', () => connect(setting('UNKNOWN')));
await step('killed', async () => {
  await fetch(setting('END_SESSION'));
  await again!.evaluate('new Promise(() => undefined)');
});
process.exit();
