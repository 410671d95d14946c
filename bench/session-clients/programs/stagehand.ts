// Drives a browser session by Stagehand, without a model; ../run-client.ts says what each step has to show.
import { FILE, NAME, readByProtocol, SITE, setting, step, URL_OF_SESSION, uploadToSession } from './steps.ts';

/** What the steps need of Stagehand, whose package is installed outside of this repository. */
interface StagehandPage {
  goto(url: string): Promise<unknown>;
  title(): Promise<string>;
  locator(selector: string): { click(): Promise<void>; setInputFiles(file: string): Promise<void> };
  evaluate(script: string): Promise<string>;
  sendCDP(method: string, params: object): Promise<{ data: string }>;
  waitForLoadState(state: 'load'): Promise<void>;
  close(): Promise<void>;
}
interface StagehandClient {
  init(): Promise<void>;
  close(): Promise<void>;
  context: {
    pages(): StagehandPage[];
    newPage(url: string): Promise<StagehandPage>;
    awaitActivePage(): Promise<StagehandPage>;
  };
}
const { Stagehand }: { Stagehand: new (options: object) => StagehandClient } = await import(
  setting('PACKAGE')
);

const connect = async (url = URL_OF_SESSION) => {
  const localBrowserLaunchOptions = { cdpUrl: url };
  const stagehand = new Stagehand({ env: 'LOCAL', localBrowserLaunchOptions, verbose: 0, disablePino: true });
  await stagehand.init();
  return stagehand;
};
let stagehand = (await step('connect', () => connect()))!;
const page = stagehand.context.pages()[0]!;
await step('navigate', async () => {
  await page.goto(`${SITE}/`);
  return page.title();
});
await step('upload', async () => {
  await uploadToSession();
  await page.locator('input').setInputFiles(FILE);
  return page.evaluate('document.querySelector("input").files[0].text()');
});
await step('download', async () => {
  await page.locator('#download').click();
  // Stagehand has no event for the end of a download, before which there is nothing to read.
  const read = async (): Promise<string> =>
    (await readByProtocol((method, params) => page.sendCDP(method, params), NAME).catch(() => '')) || read();
  return { text: await read() };
});
await step('tabs', async () => {
  const second = await stagehand.context.newPage(`${SITE}/second`);
  await second.waitForLoadState('load');
  await page.locator('#popup').click();
  const popup = await stagehand.context.awaitActivePage();
  await popup.waitForLoadState('load');
  const titles = await Promise.all([page, second, popup].map((each) => each.title()));
  await popup.close();
  return titles;
});
await step('reconnect', async () => {
  await stagehand.close();
  stagehand = await connect();
  return Promise.all(stagehand.context.pages().map((each) => each.title()));
});
const [again] = stagehand.context.pages();
await step('unreachable', () => again!.goto(setting('UNREACHABLE')));
await step('private', () => again!.goto(setting('PRIVATE')));
await step('ended', () => connect(setting('ENDED')));
await step('unknown', () => connect(setting('UNKNOWN')));
await step('killed', async () => {
  await fetch(setting('END_SESSION'));
  await again!.evaluate('new Promise(() => undefined)');
});
process.exit();
