// Drives a browser session by agent-browser; ../run-client.ts says what each step has to show.
import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fieldsOf } from '../../../src/json/json-object.ts';
import { FILE, NAME, readByApi, SITE, setting, step, URL_OF_SESSION, uploadToSession } from './steps.ts';

/** The program keeps a connection for each of its own sessions. */
const FIRST = 'first';
const PAUSE_MS = 50;

/** Runs one command. @returns what it printed as its data @throws Error with the message that it printed */
async function run(
  args: string[],
  { url, session = FIRST }: { url?: string | undefined; session?: string } = { url: URL_OF_SESSION },
) {
  const options = ['--session', session, ...(url === undefined ? [] : ['--cdp', url]), '--json'];
  const child = spawn(setting('PROGRAM'), [...options, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const printed = fieldsOf(JSON.parse(await text(child.stdout)));
  if (printed.success !== true) throw new Error(String(printed.error));
  return fieldsOf(printed.data);
}
const evaluate = async (script: string) => String((await run(['eval', script])).result);

/** The titles of the tabs, once each has one of its own: until a page is loaded, its title is its address. */
async function titlesOf(count: number, session = FIRST): Promise<string[]> {
  const { tabs } = await run(['tab', 'list'], { session, url: URL_OF_SESSION });
  const titles = Array.isArray(tabs) ? tabs.map((tab) => String(fieldsOf(tab).title)) : [];
  if (titles.length === count && titles.every((title) => !title.includes('/'))) return titles;
  await setTimeout(PAUSE_MS);
  return titlesOf(count, session);
}

await step('connect', () => run(['connect', URL_OF_SESSION]));
await step('navigate', async () => {
  await run(['open', `${SITE}/`]);
  return evaluate('document.title');
});
await step('upload', async () => {
  await uploadToSession();
  await run(['upload', 'input', basename(FILE)]);
  return evaluate('document.querySelector("input").files[0].text()');
});
await step('download', async () => {
  const saved = await run(['download', '#download', `${FILE}.saved`]).catch((error: Error) => error.message);
  return { text: await readByApi(NAME), ownError: saved };
});
await step('tabs', async () => {
  await run(['tab', 'new', `${SITE}/second`]);
  await run(['tab', 't1']);
  await run(['click', '#popup']);
  // Tabs that a command has used have their titles at once; the others get theirs when they are used.
  for (const tab of ['t2', 't3']) await run(['tab', tab]);
  const titles = await titlesOf(3);
  await run(['tab', 'close', 't3']);
  return titles;
});
await step('reconnect', async () => {
  await run(['close']);
  return titlesOf(2);
});
await step('unreachable', () => run(['open', setting('UNREACHABLE')]));
await step('private', () => run(['open', setting('PRIVATE')]));
await step('ended', () => run(['tab', 'list'], { url: setting('ENDED'), session: 'ended' }));
await step('unknown', () => run(['tab', 'list'], { url: setting('UNKNOWN'), session: 'unknown' }));
await step('killed', async () => {
  await fetch(setting('END_SESSION'));
  await evaluate('new Promise(() => undefined)');
});
// Told a URL, the program would connect before it closes, and stay when it cannot.
for (const session of [FIRST, 'ended', 'unknown']) await run(['close'], { session, url: undefined });
process.exit();
