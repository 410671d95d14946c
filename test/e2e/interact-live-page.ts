import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { priceOfSession } from '../../src/credits.ts';
import { call } from '../support/api/call.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { openTestDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';

/**
 * The first call of interact takes over the page of a scrape with actions or a profile. `faults.test.ts` runs
 * these tests, because they kill the worker, and because a host keeps few pages, which other files would use
 * up.
 */

const service = useService();

const FORM = `<!doctype html><meta name=viewport content="width=device-width"><title>form</title><style>body { margin: 0; height: 5000px }</style>
  <input id="name"><button id="send" onclick="clicks++; document.cookie = 'clicked=' + clicks">send</button>
  <iframe src="/frame"></iframe>
  <script>var clicks = 0; var opened = crypto.randomUUID()</script>`;

let site: Pages;
/** Pages of another site. */
let stranger: Pages;
beforeAll(async () => {
  stranger = await startPages({ '/': '<title>stranger</title><p>a stranger</p>' }, '127.0.0.2');
  site = await startPages({
    '/form': FORM,
    '/frame': '<p>frame</p>',
    '/early': `<!doctype html><meta name=viewport content="width=device-width"><script>
      early = { touch: navigator.maxTouchPoints > 0, userAgent: navigator.userAgent, size: [innerWidth, innerHeight], language: navigator.language };
    </script>`,
    '/other': '<title>other</title><p>other</p>',
  });
});
afterAll(() => Promise.all([site[Symbol.asyncDispose](), stranger[Symbol.asyncDispose]()]));

const ask = (path: string, body?: unknown, method?: string) =>
  call(path, { url: service.url, key: service.key, body, ...(method && { method }) });

const ACTIONS = [
  { type: 'click', selector: '#name' },
  { type: 'write', text: 'Ada' },
  { type: 'click', selector: '#send' },
  { type: 'executeJavascript', script: 'scrollTo(0, 1234); return opened' },
];

/** Scrapes the form. @returns the id of the scrape, and a value that no other visit of the page has */
async function scrapeForm(options: Record<string, unknown> = {}) {
  const { body } = await ask('/v2/scrape', { url: `${site.url}/form`, actions: ACTIONS, ...options });
  expect(body, JSON.stringify(body)).toMatchObject({ success: true });
  return {
    id: body.data.metadata.scrapeId as string,
    opened: body.data.actions?.javascriptReturns[0].value as string,
  };
}

const interact = async (id: string, code: string) => {
  const { status, body } = await ask(`/v2/scrape/${id}/interact`, { code, timeout: 300 });
  return { status, body, value: body.result ? JSON.parse(body.result) : body.error };
};

const STATE = `await page.evaluate(() => ({
  opened, clicks, name: document.querySelector('#name').value, scrolled: scrollY, cookie: document.cookie,
  size: [innerWidth, innerHeight], userAgent: navigator.userAgent, language: navigator.language,
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone, touch: navigator.maxTouchPoints > 0,
}))`;

const stop = (id: string) => ask(`/v2/scrape/${id}/interact`, undefined, 'DELETE');
const visits = () => site.requests.filter(({ path }) => path === '/form').length;

describe('the first call of interact', () => {
  it('takes over the very page of a scrape with actions, which is billed once', async () => {
    const before = visits();
    const scraped = await scrapeForm({ location: { languages: ['de-DE'] } });
    const { value, body } = await interact(scraped.id, STATE);
    expect(body).toMatchObject({ success: true });
    expect(value).toMatchObject({
      opened: scraped.opened,
      clicks: 1,
      name: 'Ada',
      scrolled: 1234,
      cookie: 'clicked=1',
      size: [1280, 800],
      language: 'de-DE',
      touch: false,
    });
    expect(visits()).toBe(before + 1);
    // The page lives on: it can be used, opens popups, and navigates.
    const used = await interact(
      scraped.id,
      `await page.click('#send'); const [popup] = await Promise.all([context.waitForEvent('page'),
        page.evaluate(() => { open('/other') })]);
      await popup.waitForURL('**/other'); const title = await popup.title(); await popup.close();
      ({ title, clicks: await page.evaluate(() => clicks) })`,
    );
    expect(used.value).toEqual({ title: 'other', clicks: 2 });
    const { body: stopped } = await stop(scraped.id);
    const durationMs: number = stopped.sessionDurationMs;
    expect(stopped).toMatchObject({
      success: true,
      creditsBilled: priceOfSession({ durationMs, prompted: false }),
    });
    const activity = await ask('/v2/team/activity');
    const own = activity.body.data.filter(({ target }: { target: string }) => target === `${site.url}/form`);
    expect(own.map(({ endpoint }: { endpoint: string }) => endpoint).sort()).toEqual(['interact', 'scrape']);
  });

  it('leaves dialogs, frames of other sites, service workers and downloads to the session', async () => {
    const { id } = await scrapeForm();
    const { value } = await interact(
      id,
      `const [dialog] = await Promise.all([page.waitForEvent('dialog'),
        page.evaluate(() => { setTimeout(() => { window.answer = prompt('Your name?') }) })]);
      await dialog.accept('Grace');
      const frame = await page.evaluateHandle((url) => {
        const frame = document.createElement('iframe');
        frame.src = url;
        return document.body.appendChild(frame);
      }, '${stranger.url}/').then((element) => element.asElement().contentFrame());
      await frame.waitForURL('${stranger.url}/');
      const [download] = await Promise.all([page.waitForEvent('download'), page.evaluate(() => {
        Object.assign(document.createElement('a'), { href: URL.createObjectURL(new Blob(['text'])), download: 'a.txt' }).click();
      })]);
      ({ answer: await page.evaluate(() => answer), frame: await frame.title(), download: download.suggestedFilename() })`,
    );
    expect(value).toEqual({ answer: 'Grace', frame: 'stranger', download: 'a.txt' });
    await stop(id);
  });

  it('keeps the phone that a scrape has emulated, in the page of the scrape and in one that is opened again', async () => {
    const phone = { touch: true, userAgent: expect.stringContaining('Mobile'), size: [412, 839] };
    const taken = await scrapeForm({ mobile: true });
    const { value } = await interact(taken.id, STATE);
    expect(value).toMatchObject({ ...phone, opened: taken.opened, scrolled: 1234 });
    const visitor = `({ touch: navigator.maxTouchPoints > 0, userAgent: navigator.userAgent, size: [innerWidth, innerHeight],
      language: navigator.language })`;
    // Tabs that the page or the code opens later see the same visitor, from their first script on.
    const later = await interact(
      taken.id,
      `const seen = [];
      for (const open of [() => page.evaluate("open('/early', '_blank') && 0"), async () => (await context.newPage()).goto('${site.url}/early')]) {
        const [tab] = await Promise.all([context.waitForEvent('page'), open()]);
        await tab.waitForFunction('globalThis.early');
        seen.push(await tab.evaluate('early'), await tab.evaluate(\`${visitor}\`));
      }
      seen`,
    );
    expect(later.value).toEqual(Array.from({ length: 4 }, () => ({ ...phone, language: value.language })));
    await stop(taken.id);
    const before = visits();
    const { id } = await scrapeForm({ mobile: true, actions: [] });
    const again = await interact(id, STATE);
    expect(again.value).toMatchObject({ ...phone, clicks: 0 });
    expect(visits()).toBe(before + 2);
    await stop(id);
  });

  it('takes over a page with its profile, which the session saves', async () => {
    const profile = { name: `profile-${crypto.randomUUID()}` };
    const { id, opened } = await scrapeForm({ profile });
    const code = `await page.evaluate(() => { document.cookie = 'late=yes; max-age=600'; localStorage.setItem('kept', 'here') }); ${STATE}`;
    expect((await interact(id, code)).value).toMatchObject({
      opened,
      cookie: expect.stringContaining('late=yes'),
    });
    await stop(id);
    const script = 'return document.cookie + localStorage.getItem("kept")';
    const { body } = await ask('/v2/scrape', {
      url: `${site.url}/form`,
      profile: { ...profile, saveChanges: false },
      actions: [{ type: 'executeJavascript', script }],
    });
    expect(body.data.actions.javascriptReturns[0].value).toContain('late=yes');
    expect(body.data.actions.javascriptReturns[0].value).toContain('here');
  });
});

describe('interact opens a page again', () => {
  it('when the worker that had it open has died', async () => {
    const scraped = await scrapeForm();
    const worker = service.readRunFile().children.worker?.pid;
    process.kill(worker ?? 0, 'SIGKILL');
    await pollUntil(() => {
      const { pid } = service.readRunFile().children.worker ?? {};
      return pid !== undefined && pid !== worker;
    });
    const { value } = await pollUntil(async () => {
      const answer = await interact(scraped.id, STATE);
      // Until the new worker has reported, no host runs sessions.
      return answer.status === 200 && answer;
    });
    expect(value).toMatchObject({ clicks: 1, name: 'Ada', scrolled: 1234 });
    expect(value.opened).not.toBe(scraped.opened);
    await stop(scraped.id);
  });

  it('never of a scrape with zero data retention, an uploaded file or lockdown, and says why', async () => {
    const refusal = async (id: string) => {
      const { status, body } = await ask(`/v2/scrape/${id}/interact`, { code: '1' });
      expect({ status, code: body.code }).toEqual({ status: 409, code: 'INTERACT_REPLAY_UNAVAILABLE' });
      return body.error;
    };
    const secret = await scrapeForm({ zeroDataRetention: true });
    expect(await refusal(secret.id)).toContain('zero data retention');
    const url = `${site.url}/other`;
    await ask('/v2/scrape', { url });
    const locked = await ask('/v2/scrape', { url, lockdown: true });
    expect(await refusal(locked.body.data.metadata.scrapeId)).toContain('lockdown');
    const form = new FormData();
    form.append('file', new Blob(['<p>file</p>'], { type: 'text/html' }), 'file.html');
    const parsed = await call('/v2/parse', { url: service.url, key: service.key, form });
    expect(await refusal(parsed.body.data.metadata.scrapeId)).toContain('uploaded file');
  });
});

it('a session is refused with what to install where no worker can run sessions', async () => {
  const scraped = await scrapeForm({ actions: [] });
  const db = openTestDatabase(service);
  // As a worker reports itself where bubblewrap does not work.
  await sql`update workers set host_url = null, host_queue = null`.execute(db.query);
  const refusal = {
    status: 503,
    body: { code: 'SESSIONS_UNAVAILABLE', error: expect.stringContaining('bubblewrap') },
  };
  expect(await ask('/v2/browser', {})).toMatchObject(refusal);
  expect(await ask(`/v2/scrape/${scraped.id}/interact`, { code: '1' })).toMatchObject(refusal);
  // The worker reports itself again, with its host.
  await sql`delete from workers`.execute(db.query);
  await db.close();
  await pollUntil(async () => (await interact(scraped.id, '1')).status === 200);
  await stop(scraped.id);
});
