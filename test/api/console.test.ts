import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { findFaults, useConsole } from '../support/browser/console.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** The console as its users have it: in a real browser. */

const ARTICLE = `<!doctype html><title>Tea of the hills</title><main><h1>Tea</h1>
<p>A tea from the hills, <a href="/b">picked</a> in spring and dried in the shade for many days.</p></main>`;
const MARK = 'globalThis.hasRun = true';
/** A page that tries to run script in the console, or to make it load something. */
const hostile = (other: string) => `<!doctype html><title>&lt;img src=x onerror="${MARK}"&gt;</title><main>
<h1>Hostile &lt;script&gt;${MARK}&lt;/script&gt;</h1>
<p>A paragraph that is long enough to be the text of the page, with <a href="javascript:${MARK}">a link</a>
and &lt;img src="${other}/direct.png" onerror="${MARK}"&gt; and <img src="${other}/picture.png" alt="a picture">.</p>
<svg onload="${MARK}"></svg></main>`;

const service = useService();
const db = useDatabase();
const User = useConsole(service);
let site: Pages;
let other: Pages;
beforeAll(async () => {
  other = await startPages({});
  site = await startPages({
    '/refused': (request) => request.destroy(),
    '/': ARTICLE,
    '/b': ARTICLE,
    '/hostile': hostile(other.url),
    '/empty': '<!doctype html><title>Empty</title><div id="app"></div>',
  });
});
afterAll(async () => {
  await site?.[Symbol.asyncDispose]();
  await other?.[Symbol.asyncDispose]();
});

it('asks for a key, says why one is refused, and then scrapes a page', async () => {
  await using user = await User.open('', { isSignedIn: false });
  const { page } = user;
  const submit = async (key: string) => {
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Continue' }).click();
  };
  await submit('fc-nonsense');
  await page.getByRole('alert').getByText('Invalid token').waitFor();
  await submit(service.key);
  await user.scrape(`${site.url}/`);
  await page.locator('article').getByText('A tea from the hills').waitFor();
  expect(await page.getByRole('tab').allTextContents()).toEqual([
    'Markdown',
    'Why',
    'Metadata',
    'Left out',
    'Response',
    'Request',
  ]);
  expect(user.errors).toEqual([]);
  expect(user.requests.filter((url) => !url.startsWith(service.url))).toEqual([]);
  expect(user.requests.filter((url) => url.includes(service.key))).toEqual([]);
});

it('makes the fields of a request from the API reference, and sends only what was changed', async () => {
  await using user = await User.open('/try/map');
  const { page } = user;
  await page.getByLabel('url', { exact: true }).fill(`${site.url}/`);
  await page.getByText('Scope', { exact: true }).click();
  await page.getByLabel('includeSubdomains').click();
  await page.getByLabel('ignoreQueryParameters').click();
  await page.getByLabel('ignoreQueryParameters').click();
  const sent = page.waitForRequest((request) => request.url().endsWith('/v2/map'));
  await page.getByRole('button', { name: 'Map' }).click();
  expect((await sent).postDataJSON()).toEqual({ url: `${site.url}/`, includeSubdomains: false });
  await page.getByRole('tab', { name: 'Links' }).waitFor();
});

it('sends at most 150 KB until a request can be filled in, and the code of other views when they are opened', async () => {
  await using user = await User.open('/nothing');
  const { page } = user;
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  user.requests.length = 0;
  await page.goto(`${service.url}/console`);
  await page.getByLabel('url', { exact: true }).waitFor();
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(150_000);
  expect(user.requests.filter((url) => url.includes('/usage/'))).toEqual([]);
  // Its page names all modules, so that the browser asks for them at once.
  const named = await page.locator('link[rel="modulepreload"]').evaluateAll((links) =>
    // Only elements `link` have the attribute.
    links.map((link) => (link as HTMLLinkElement).href),
  );
  const modules = user.requests.filter((url) => /\/assets\/.*\.(ts|js)$/.test(url));
  expect(new Set(modules)).toEqual(new Set(named));
  // A view whose code does not come says so, and comes when it can.
  await page.route('**/usage/usage.ts', (route) => route.abort());
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('alert').getByText('This page tries again by itself.').waitFor();
  await page.unroute('**/usage/usage.ts');
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
  expect(user.errors).toEqual([]);
});

it('shows what the API says of a mistake', async () => {
  await using user = await User.open('');
  await user.page.getByLabel('url', { exact: true }).fill('http://a b');
  await user.page.getByRole('button', { name: 'Scrape' }).click();
  await user.page.getByRole('alert').getByText('BAD_REQUEST').waitFor();
});

it('shows the progress of a crawl, and leads from the list of jobs to it', async () => {
  await using user = await User.open('/try/crawl');
  const { page } = user;
  await page.getByLabel('url', { exact: true }).fill(`${site.url}/`);
  await page.getByRole('button', { name: 'Crawl' }).click();
  await page.getByRole('link', { name: 'Watch its progress' }).click();
  await page.getByText('Completed').waitFor();
  const job = page.url();
  await page
    .locator('.job-target')
    .getByRole('link', { name: `${site.url}/` })
    .waitFor();
  await page.getByRole('link', { name: 'Jobs' }).first().click();
  await page
    .getByRole('table')
    .getByRole('link', { name: `${site.url}/` })
    .first()
    .click();
  await page.waitForURL(job);
  await page.reload();
  await page.getByText('Completed').waitFor();
  await page.goBack();
  await page.getByRole('table').waitFor();
  expect(user.errors).toEqual([]);
});

it('shows a crawl while it runs, and pauses, resumes and cancels it', async () => {
  const links = Array.from({ length: 90 }, (_, index) => `<a href="/slow?page=${index}">${index}</a>`);
  await using slow = await startPages({
    '/slow': (request, response) => {
      const send = () => response.setHeader('Content-Type', 'text/html').end(`${ARTICLE}${links.join(' ')}`);
      if (request.url === '/slow') send();
      // The other pages take as long as a person who looks at them.
      else setTimeout(send, 2_000);
    },
  });
  const body = { url: `${slow.url}/slow`, crawlEntireDomain: true, maxConcurrency: 1, sitemap: 'skip' };
  const crawl = await call('/v2/crawl', { url: service.url, key: service.key, body });
  await using user = await User.open(`/jobs/crawl/${crawl.body.id}`);
  const { page } = user;
  const progress = page.getByRole('region', { name: 'Progress' });
  await progress.getByText('Running').waitFor();
  await progress.getByText(/of \d\d pages/).waitFor();
  await page.getByText('Change its pace').click();
  const slider = page.getByRole('slider', { name: 'Seconds between two pages' });
  const retuned = page.waitForRequest((request) => request.url().endsWith('/retune'));
  await slider.press('ArrowRight');
  expect((await retuned).postDataJSON()).toEqual({ delay: 0.5 });
  await page.getByRole('tab', { name: 'Pace' }).click();
  await page.getByRole('rowheader', { name: new URL(slow.url).host }).waitFor();
  expect(await findFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Pause' }).click();
  await progress.getByText('Paused').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await progress.getByText('Running').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await progress.getByText('Cancelled').waitFor();
  expect(user.errors).toEqual([]);
});

it('runs nothing and loads nothing that a page has written', async () => {
  await using user = await User.open('');
  await user.scrape(`${site.url}/hostile`);
  for (const name of ['Response', 'Markdown']) {
    await user.page.getByRole('tab', { name }).click();
    await user.page.getByRole('tabpanel').getByText('Hostile').first().waitFor();
  }
  expect(await user.page.evaluate(() => 'hasRun' in globalThis)).toBe(false);
  expect(
    await user.page
      .locator('article a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
  ).toEqual([`${other.url}/direct.png`]);
  expect(other.requests).toEqual([]);
  expect(user.requests.filter((url) => !url.startsWith(service.url))).toEqual([]);
});

describe.each(['light', 'dark'] as const)('in %s colours', (theme) => {
  it.each([
    ['', 'Scrape'],
    ['/try/crawl', 'Crawl'],
    ['/try/browser', 'Browser'],
  ])('the view %s has no fault that axe-core finds', async (path, button) => {
    await using user = await User.open(path, { theme });
    await user.page.getByRole('button', { name: button }).waitFor();
    for (const group of await user.page.locator('summary').all()) await group.click();
    expect(await findFaults(user.page)).toEqual([]);
  });

  it('neither has the list of jobs, a job, the result of a scrape, nor the form for a key', async () => {
    const { body } = await call('/v2/scrape', {
      url: service.url,
      key: service.key,
      body: { url: `${site.url}/` },
    });
    expect(body.success).toBe(true);
    await using user = await User.open('/jobs', { theme });
    await user.page.getByRole('table').waitFor();
    expect(await findFaults(user.page)).toEqual([]);
    await user.page.getByRole('table').getByRole('link', { name: site.url }).first().click();
    await user.page.getByRole('tab').first().waitFor();
    expect(await findFaults(user.page)).toEqual([]);
    await using stranger = await User.open('', { theme, isSignedIn: false });
    await stranger.page.getByLabel('API key').waitFor();
    expect(await findFaults(stranger.page)).toEqual([]);
  });
});

it('shows what was used, the keys, and the events of webhooks, which can be sent again', async () => {
  const hooks = await startPages({ '/hook': (_request, response) => response.end('thank you') });
  await using _ = hooks;
  const body = { urls: [`${site.url}/`], webhook: { url: `${hooks.url}/hook`, events: ['completed'] } };
  const batch = await call('/v2/batch/scrape', { url: service.url, key: service.key, body });
  await using user = await User.open('/webhooks');
  const { page } = user;
  // Other tests have webhooks at the same time.
  const event = page.getByRole('row').filter({ hasText: batch.body.id });
  await event.getByText('delivered', { exact: true }).waitFor();
  await event.getByRole('button', { name: 'Show what was sent: batch_scrape.completed' }).click();
  const details = page.locator('.exchange');
  await details.getByText(batch.body.id).waitFor();
  await details.getByText('thank you').waitFor();
  expect(await findFaults(page)).toEqual([]);
  const before = hooks.requests.length;
  await event.getByRole('button', { name: 'Send again: batch_scrape.completed' }).click();
  await pollUntil(() => hooks.requests.length > before);
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('img', { name: /period/ }).waitFor();
  const keys = page.getByRole('region', { name: 'Keys of the team' });
  await keys.getByRole('cell', { name: 'default' }).waitFor();
  const limits = page.getByRole('region', { name: 'Table of limits' });
  await limits.getByRole('row', { name: /^Requests in this minute [\d,]+ 5,000 / }).waitFor();
  expect(await findFaults(page)).toEqual([]);
  const csv = await page.getByRole('link', { name: 'CSV of all' }).getAttribute('href');
  expect(decodeURIComponent(csv ?? '')).toMatch(/from,credits,tokens\r\n\d{4}-\d\d-\d\d,\d+,\d+/);
  expect(user.errors).toEqual([]);
});

it('lists its shortcuts when ? is pressed, and goes to views and fields by keys, unless they are turned off', async () => {
  await using user = await User.open('/usage');
  const { page } = user;
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Shortcuts' });
  await list.getByText('The first field of the view').waitFor();
  expect(await findFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'hidden' });
  // The key comes when the list has been closed, by its button or by the browser, and before the browser says so.
  await page.keyboard.press('?');
  const closeButton = list.getByRole('button', { name: 'Close' });
  await closeButton.waitFor();
  await closeButton.evaluate((button: HTMLElement) => {
    const dialog = button.closest('dialog')!;
    const closed = Promise.withResolvers<void>();
    new MutationObserver(() => closed.resolve()).observe(dialog, { attributeFilter: ['open'] });
    button.click();
    return closed.promise.then(() => dispatchEvent(new KeyboardEvent('keydown', { key: '?' })));
  });
  await closeButton.evaluate((button) => {
    button.closest('dialog')!.close();
    dispatchEvent(new KeyboardEvent('keydown', { key: '?' }));
  });
  await closeButton.click();
  await list.waitFor({ state: 'hidden' });
  // On a busy machine, the second key may come too late.
  await pollUntil(async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    return page.getByRole('heading', { name: 'Jobs' }).isVisible();
  });
  expect(new URL(page.url()).pathname).toBe('/console/jobs');
  await page.keyboard.press('/');
  const kind = page.getByLabel('Kind');
  expect(await kind.evaluate((element) => element === document.activeElement)).toBe(true);
  // Keys that are typed into a field stay text.
  await page.getByLabel('Target').fill('');
  await page.getByLabel('Target').press('g');
  await page.getByLabel('Target').press('u');
  expect(new URL(page.url()).pathname).toBe('/console/jobs');
  await page.getByRole('heading', { name: 'Jobs' }).click();
  await page.getByRole('button', { name: 'Shortcuts' }).click();
  await list.getByLabel('Use single keys').uncheck();
  await list.getByRole('button', { name: 'Close' }).click();
  await list.waitFor({ state: 'hidden' });
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await page.keyboard.press('?');
  await list.waitFor();
  expect(new URL(page.url()).pathname).toBe('/console/jobs');
  expect(user.errors).toEqual([]);
});

it('finds the jobs of a day', async () => {
  const today = new Date();
  const dayOf = (date: Date) =>
    [date.getFullYear(), date.getMonth() + 1, date.getDate()]
      .map((part) => String(part).padStart(2, '0'))
      .join('-');
  const { key } = await makeTeam(db);
  await call('/v2/scrape', { url: service.url, key, body: { url: `${site.url}/` } });
  await using user = await User.open('/jobs', { key });
  const { page } = user;
  const row = page.getByRole('table').getByRole('link', { name: `${site.url}/` });
  await row.waitFor();
  await page.getByLabel('Until').fill(dayOf(new Date(today.getTime() - 86_400_000)));
  await page.getByLabel('Until').blur();
  await page.getByText('There is no such job.').waitFor();
  await page.getByLabel('Until').fill(dayOf(today));
  await page.getByLabel('Until').blur();
  await page.getByLabel('Since').fill(dayOf(today));
  await page.getByLabel('Since').blur();
  await row.waitFor();
  await page.reload();
  await row.waitFor();
  expect(await page.getByLabel('Since').inputValue()).toBe(dayOf(today));
  expect(user.errors).toEqual([]);
});

it('opens a browser, and ends it', async () => {
  await using user = await User.open('/sessions');
  const { page } = user;
  await page.getByRole('button', { name: 'Open a browser' }).click();
  await page.getByRole('link', { name: 'Watch' }).first().waitFor();
  // A small picture shows what the browser shows.
  const picture = page.frameLocator('iframe.picture').first();
  await picture.locator('#status').waitFor({ state: 'hidden' });
  expect(await findFaults(page)).toEqual([]);
  const end = page.getByRole('button', { name: /^End session/ }).first();
  const name = (await end.getAttribute('aria-label')) ?? '';
  await end.click();
  await page.getByRole('button', { name }).waitFor({ state: 'detached' });
  expect(user.errors).toEqual([]);
});

it('says why a page went so: in one sentence, step by step, and with what support says of it', async () => {
  await using moved = await startPages({
    '/': (_, response) => response.writeHead(301, { Location: '/page' }).end(),
    '/page': ARTICLE,
  });
  await using user = await User.open('');
  const { page } = user;
  await user.scrape(`${moved.url}/`);
  await page.getByRole('tab', { name: 'Why' }).click();
  const why = page.getByRole('region', { name: 'Why the page went so' });
  await why.getByText(/^A plain fetch got HTTP 200 after 1 redirect/).waitFor();
  const steps = await why.getByRole('rowheader').allTextContents();
  expect(steps.map((step) => step.trim())).toEqual(
    expect.arrayContaining([
      'Looked into the cache',
      'Fetched the page',
      expect.stringMatching(/^http HTTP 200, \d+ B$/),
      'Derived the formats',
    ]),
  );
  await why.getByRole('link', { name: `${moved.url}/page` }).waitFor();
  await why.getByRole('button', { name: 'Ask support about it' }).click();
  await why.getByRole('status', { name: 'Explanation' }).waitFor();
  expect(user.errors).toEqual([]);
});

describe.each(['light', 'dark'] as const)('in %s colours and on a phone', (theme) => {
  it('why a page failed has no fault that axe-core finds, and fits', async () => {
    const body = { urls: [`${site.url}/refused`, 'http://127.0.0.1:1/'], fastMode: true };
    const batch = await call('/v2/batch/scrape', { url: service.url, key: service.key, body });
    await using user = await User.open(`/jobs/batch_scrape/${batch.body.id}`, { theme });
    const { page } = user;
    await page.setViewportSize({ width: 360, height: 800 });
    await page.getByRole('tab', { name: 'Failures' }).click();
    const code = page.getByRole('button', { name: /^SCRAPE_SITE_ERROR \d/ });
    await code.click();
    expect(await code.getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('list', { name: 'Pages' }).getByRole('button').first().click();
    await page.getByText(/^The page failed with SCRAPE_SITE_ERROR/).waitFor();
    expect(await findFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    expect(user.errors).toEqual([]);
  });
});

it('plays the recording of a session, and jumps to its events', async () => {
  await using pages = await startPages({
    '/': '<!doctype html><title>Recorded</title><script>console.log("<b>said</b> here")</script><h1>Recorded</h1>',
  });
  const ask = (path: string, body?: unknown) => call(path, { url: service.url, key: service.key, body });
  const { id } = (await ask('/v2/browser', { recordSession: true })).body;
  await ask(`/v2/browser/${id}/execute`, {
    code: `await page.goto('${pages.url}/'); await page.mouse.click(30, 20)`,
  });
  await call(`/v2/browser/${id}`, { method: 'DELETE', url: service.url, key: service.key });
  await using user = await User.open(`/jobs/browser/${id}`);
  const { page } = user;
  await page.getByRole('button', { name: 'Read the recording' }).click();
  const replay = page.getByRole('region', { name: 'Replay' });
  await replay.getByRole('button', { name: 'log: <b>said</b> here' }).click();
  await expect
    .poll(() => replay.getByRole('img').evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(100);
  expect(Number(await replay.getByRole('slider', { name: 'Time' }).inputValue())).toBeGreaterThan(0);
  await replay.getByRole('button', { name: /pressed at 30, 20/ }).click();
  await replay.locator('.pointer.down').waitFor();
  await replay.getByLabel('Speed').selectOption('16');
  await replay.getByRole('button', { name: 'Play' }).click();
  await replay.getByRole('button', { name: 'Play' }).waitFor();
  expect(await findFaults(page)).toEqual([]);
  expect(user.errors).toEqual([]);
});

it('has support explain a scrape', async () => {
  const body = { url: `${site.url}/`, includeTags: ['.absent'], maxAge: 0 };
  const scraped = await call('/v2/scrape', { url: service.url, key: service.key, body });
  await using user = await User.open(`/jobs/scrape/${scraped.body.data.metadata.scrapeId}`);
  await user.page.getByRole('button', { name: 'Explain this job' }).click();
  await user.page.getByRole('status', { name: 'Explanation' }).getByText('confidence').waitFor();
  expect(await findFaults(user.page)).toEqual([]);
});

it('offers to find out why a page came back empty', async () => {
  await using user = await User.open('');
  const { page } = user;
  await user.scrape(`${site.url}/empty`);
  await page.getByRole('button', { name: 'Why is it empty?' }).click();
  await page.getByRole('status', { name: 'Explanation' }).waitFor();
  expect(await findFaults(page)).toEqual([]);
});

describe.each(['light', 'dark'] as const)('the operator, in the theme %s,', (theme) => {
  it('makes a team and a key, changes limits, revokes the key, and sees the health of the service', async () => {
    const adminKey = readFileSync(join(service.dataDir, 'admin-key'), 'utf8').trim();
    await using user = await User.open('/operator', { theme });
    const { page } = user;
    await page.getByLabel('Key of the operator').fill(service.key);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').getByText('not the key of the operator').waitFor();
    expect(await findFaults(page)).toEqual([]);
    await page.getByLabel('Key of the operator').fill(adminKey);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('region', { name: 'Workers' }).getByText('webhooks').waitFor();
    expect(await findFaults(page)).toEqual([]);

    const name = `Hill ${theme} ${Date.now()}`;
    await page.getByLabel('New team').fill(name);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('link', { name }).click();
    await page.getByLabel('Pages at a time').fill('4');
    await page.getByRole('button', { name: 'Change the limits' }).click();
    await expect.poll(async () => (await teamOf(name)).concurrency).toBe(4);

    await page.getByLabel('New key').fill('ci');
    await page.getByRole('button', { name: 'Create' }).click();
    const key = await page.getByRole('status').locator('code').textContent();
    expect((await call('/v2/team/keys', { url: service.url, key: key ?? '' })).status).toBe(200);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Revoke ci' }).click();
    await page.getByRole('cell', { name: /^revoked/ }).waitFor();
    expect((await call('/v2/team/keys', { url: service.url, key: key ?? '' })).status).toBe(401);
    expect(await findFaults(page)).toEqual([]);
    expect(user.errors).toEqual([]);
    expect(user.requests.filter((url) => url.includes(adminKey))).toEqual([]);

    async function teamOf(team: string) {
      const path = `/admin/teams/${encodeURIComponent(team)}`;
      return (await call(path, { url: service.url, key: adminKey })).body.data;
    }
  });
});

describe.each(['light', 'dark'] as const)('a monitor, in the theme %s,', (theme) => {
  it('is created, run, paused, rescheduled and deleted, and shows what changed line by line', async () => {
    let price = 12;
    await using shop = await startPages({
      '/lamp': (_, response) =>
        response
          .setHeader('Content-Type', 'text/html')
          .end(`<!doctype html><title>&lt;b&gt;Lamp&lt;/b&gt;</title><main><h1>Lamp</h1><p>The lamp costs ${price} euros.</p>
            <p>&lt;img src=x onerror="${MARK}"&gt; was seen in ${price} shops of the town.</p></main>`),
      '/still':
        '<!doctype html><title>Still</title><main><p>Nothing happens on this page of the shop.</p></main>',
    });
    const { key } = await makeTeam(db);
    await using user = await User.open('/monitors', { theme, key });
    const { page } = user;
    await page.setViewportSize({ width: 360, height: 800 });
    const isWhole = async () => {
      expect(await findFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    };
    const name = `<b>Lamps</b> of ${shop.url}`;
    // The form of a team without monitors is open.
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Schedule').fill('every blue moon');
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByLabel('URLs of pages, one a line').fill(`${shop.url}/lamp\n\n  ${shop.url}/still\n`);
    await page.getByLabel('Not these parts').fill('h1');
    await page.getByLabel('Tags').fill('shop, lamps,, shop');
    await page.getByRole('button', { name: 'Preview the first page' }).click();
    const preview = page.getByRole('region', { name: `What would be watched of ${shop.url}/lamp` });
    await preview.getByText('The lamp costs 12 euros.').waitFor();
    expect(await preview.getByRole('heading').count()).toBe(0);
    await isWhole();
    await page.getByRole('button', { name: 'Create the monitor' }).click();
    await page.getByRole('alert').getByText('"every blue moon" is not a schedule').waitFor();
    await isWhole();
    await page.getByLabel('Schedule').fill('daily at 9:00');
    await page.getByRole('button', { name: 'Create the monitor' }).click();
    await page.getByRole('heading', { name }).waitFor();

    const checks = page.getByRole('region', { name: 'Checks' });
    const runNow = page.getByRole('button', { name: 'Run now' });
    await runNow.click();
    await checks.getByRole('link', { name: '2 new' }).waitFor();
    price = 9;
    await runNow.click();
    const changed = checks.getByRole('link', { name: '1 changed, 1 same' });
    await changed.waitFor();
    await isWhole();
    await changed.click();
    const diff = page.getByRole('region', { name: `What changed on ${shop.url}/lamp` });
    await diff.waitFor();
    expect(await diff.locator('del').first().textContent()).toMatch(/removed: .*The lamp costs 12 euros\./s);
    expect(await diff.locator('ins').first().textContent()).toMatch(/added: .*The lamp costs 9 euros\./s);
    expect(await diff.locator('mark').allTextContents()).toEqual(expect.arrayContaining(['12', '9']));
    await isWhole();
    for (const tab of ['Rendered', 'Raw']) {
      await page.getByRole('tab', { name: tab }).click();
      await diff.getByText('The lamp costs 9 euros.').waitFor();
      await isWhole();
    }
    await page.getByRole('link', { name: 'History' }).first().click();
    await page.getByRole('button', { name: 'Compare the two' }).click();
    const compared = page.getByRole('region', { name: `What differs on ${shop.url}/lamp` });
    await compared.getByText('The lamp costs 9 euros.').waitFor();
    await page.getByLabel('A question about the history').fill('When was it cheapest?');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByRole('alert').getByText('This needs a language model').waitFor();
    await isWhole();
    await page.goBack();
    await page.getByLabel('Pages').selectOption('same');
    await page.locator('summary').getByText('Still').waitFor();
    await diff.waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Monitor', exact: true }).click();
    await page.getByText('Have changes judged by a goal').click();
    await page.getByLabel('What changes matter, in words').fill('A lower price');
    await page.getByRole('button', { name: 'Try it on the last ten checks' }).click();
    await page.getByRole('alert').getByText('This needs a language model').waitFor();
    await isWhole();
    await page.getByRole('button', { name: 'Save as the goal' }).click();
    await page.getByText('What matters: A lower price').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused').waitFor();
    await page.getByText('Change the schedule').click();
    await page.getByLabel('Schedule').fill('*/30 8-17 * * *');
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await page.getByText('*/30 8-17 * * *').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText(/^next run/).waitFor();

    await page.getByText('Change the tags').click();
    await page.getByLabel('Tags').fill('shop, <b>bold</b>');
    await page.getByRole('button', { name: 'Change', exact: true }).first().click();
    await page.getByRole('link', { name: '#<b>bold</b>' }).waitFor();
    await isWhole();

    await page.getByRole('link', { name: 'Monitors', exact: true }).first().click();
    const targets = [{ type: 'scrape', urls: [shop.url] }];
    const body = { name: 'Other', schedule: { cron: '0 9 * * *' }, targets };
    const other = await call('/v2/monitor', { url: service.url, key: key ?? '', body });
    const groups = page.getByRole('navigation', { name: 'Groups by tag' });
    await groups.getByRole('link', { name: 'shop 1' }).click();
    await groups.locator('[aria-current=page]').filter({ hasText: 'shop 1' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'Other' }).waitFor({ state: 'detached' });
    const titles = (await groups.getByRole('link').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
    expect(titles).toEqual(['All', '<b>bold</b> 1', 'shop 1']);
    await call(`/v2/monitor/${other.body.data.id}`, { method: 'DELETE', url: service.url, key: key ?? '' });
    await isWhole();
    const row = page.getByRole('row').filter({ hasText: name });
    await expect
      .poll(() => row.getByRole('listitem').allTextContents())
      .toEqual([expect.stringMatching(/^2 new, /), expect.stringMatching(/^1 changed, 1 same, /)]);
    await isWhole();
    await row.getByRole('link', { name }).click();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(`${service.url}/console/monitors`);
    await page.getByRole('heading', { name: 'Monitors', exact: true }).waitFor();
    await page.getByText('No page is watched yet.').waitFor();
    expect(await page.evaluate(() => 'hasRun' in globalThis)).toBe(false);
    expect(user.errors).toEqual([]);
  });
});

it('its files are sent as clients take them, and one that does not exist is an error', async () => {
  const html = await (await fetch(`${service.url}/console/jobs`)).text();
  const script = /src="([^"]+main\.ts)"/.exec(html)?.[1];
  const fetchFile = (encoding: string) =>
    fetch(service.url + script, { headers: { 'Accept-Encoding': encoding } });
  const [plain, compressed] = [await fetchFile('identity'), await fetchFile('gzip')];
  expect(plain.headers.get('content-encoding')).toBe(null);
  expect(compressed.headers.get('content-encoding')).toBe('gzip');
  expect(compressed.headers.get('cache-control')).toContain('immutable');
  expect(await compressed.text()).toBe(await plain.text());
  const missing = await fetch(new URL('nothing.ts', service.url + script));
  expect([missing.status, (await missing.json()).code]).toEqual([404, 'NOT_FOUND']);
});

it('GET /v2/team/keys lists keys with their last use, and not the keys', async () => {
  const { body } = await call('/v2/team/keys', { url: service.url, key: service.key });
  expect(body.data).toContainEqual({
    name: 'default',
    hint: expect.stringMatching(/^…/),
    createdAt: expect.any(String),
    lastUsedAt: expect.any(String),
    revokedAt: null,
  });
  expect(JSON.stringify(body)).not.toContain(service.key);
});

describe('GET /v2/jobs', () => {
  // Other files add jobs to the team that they share.
  let key: string;
  beforeAll(async () => {
    ({ key } = await makeTeam(db, { zeroDataRetention: true }));
  });
  const list = (query: string) => call(`/v2/jobs?${query}`, { url: service.url, key });

  it('lists jobs newest first, in parts', async () => {
    for (const path of ['/', '/b']) {
      await call('/v2/scrape', { url: service.url, key, body: { url: site.url + path } });
    }
    const target = encodeURIComponent(site.url.toUpperCase());
    const first = await list(`kind=scrape&limit=1&target=${target}`);
    expect(first.body).toMatchObject({
      success: true,
      data: [
        {
          kind: 'scrape',
          status: 'completed',
          target: `${site.url}/b`,
          creditsUsed: 1,
          pages: null,
          error: null,
        },
      ],
      has_more: true,
    });
    const second = await list(`kind=scrape&limit=1&target=${target}&cursor=${first.body.cursor}`);
    expect(second.body.data).toMatchObject([{ target: `${site.url}/` }]);
  });

  it('finds what failed by its error code, and keeps no target and message with zero data retention', async () => {
    const url = `${site.url}/refused`;
    const fail = (zeroDataRetention: boolean) =>
      call('/v2/scrape', {
        url: service.url,
        key,
        body: { url, zeroDataRetention, fastMode: true },
      });
    const { code } = (await fail(false)).body;
    await fail(true);
    const { body } = await list(`status=failed&limit=1&errorCode=${code}`);
    expect(body.data).toMatchObject([{ target: url, error: { code, message: expect.any(String) } }]);
    const { data } = (await list('limit=1')).body;
    expect(data).toMatchObject([{ status: 'failed', target: null, error: null }]);
  });

  it('tells the status with which a page answered, and finds scrapes by it', async () => {
    const body = { url: `${site.url}/no-such-page` };
    expect((await call('/v2/scrape', { url: service.url, key, body })).body.success).toBe(true);
    expect((await list('limit=1')).body.data).toMatchObject([
      { status: 'completed', target: body.url, statusCode: 404, error: null },
    ]);
    expect((await list('statusCode=404')).body.data).toMatchObject([{ target: body.url }]);
    expect((await list('statusCode=410')).body.data).toEqual([]);
    expect((await list('statusCode=nonsense')).status).toBe(400);
    await call('/v2/scrape', { url: service.url, key, body: { ...body, zeroDataRetention: true } });
    expect((await list('limit=1')).body.data).toMatchObject([{ target: null, statusCode: null }]);

    await using user = await User.open('/jobs', { key });
    const { page } = user;
    const row = page.getByRole('table').getByRole('row').filter({ hasText: body.url });
    await row.getByText('HTTP 404').waitFor();
    expect(await row.locator('.state').getAttribute('class')).toContain('partly');
    await page.getByLabel('Error or status').fill('404');
    await page.getByLabel('Error or status').press('Enter');
    await pollUntil(async () => (await page.getByRole('table').getByRole('row').count()) === 2);
    await row.waitFor();
    expect(user.errors).toEqual([]);
  });

  it('refuses a filter that it does not know', async () => {
    expect(await list('stauts=failed')).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('status') },
    });
  });
});
