import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright';
import { readConfig } from '../src/config.ts';
import { findChromium } from '../src/run/embedded/chromium.ts';
import { startService } from '../test/support/service/start-service.ts';
import { startPages } from '../test/support/sites/pages.ts';

/**
 * `npm run console:screens [DIRECTORY]`: takes pictures of every view of the console, in both themes and
 * three widths, from a service of its own. Those of the README are among them (docs/console).
 */

const directory = process.argv[2] ?? path.join(import.meta.dirname, '..', 'docs', 'console');
const isForReadme = process.argv[2] === undefined;
const THEMES = ['light', 'dark'] as const;
const WIDTHS = [360, 1280, 2560];
const HEIGHT = 800;
/** The pictures that the README shows, in light colours and at the width of a laptop. */
const README_VIEWS = ['playground', 'crawl', 'jobs'];

const TEAS = [
  'Assam',
  'Ceylon',
  'Darjeeling',
  'Genmaicha',
  'Gyokuro',
  'Keemun',
  'Lapsang',
  'Matcha',
  'Oolong',
  'Sencha',
];
const shopPage = (
  name: string,
) => `<!doctype html><title>${name} – The Tea House</title><nav><a href="/">Home</a></nav><main>
<h1>${name}</h1><p>A tea that is picked in <b>spring</b> and dried in the shade, so that it keeps the taste of the hills. It is
brewed at eighty degrees for two minutes.</p><table><tr><th>Weight</th><th>Price</th></tr><tr><td>100 g</td><td>€ 9.50</td></tr>
<tr><td>250 g</td><td>€ 21.00</td></tr></table><h2>More teas</h2><ul>${TEAS.map((tea) => `<li><a href="/${tea}">${tea}</a></li>`).join('')}</ul></main>`;

/** Whether the tea of the offer costs less than before. */
let isReduced = false;
const pages = Object.fromEntries(TEAS.map((tea) => [`/${tea}`, shopPage(tea)]));
await using site = await startPages({
  '/': shopPage('The Tea House'),
  ...pages,
  '/offer': (_, response) =>
    response
      .setHeader('Content-Type', 'text/html')
      .end(shopPage('Sencha').replace('9.50', isReduced ? '7.90' : '9.50')),
  '/old': (_, response) => response.writeHead(301, { Location: '/Sencha' }).end(),
  '/locked': (_, response) => response.writeHead(403).end('<p>Forbidden</p>'),
});
const service = await startService({ env: { LOG_LEVEL: 'warn' } });
try {
  const send = async <Body = { id: string; data: { metadata: { scrapeId: string } } }>(
    route: string,
    body: unknown,
  ): Promise<Body> => {
    const response = await fetch(service.url + route, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return response.json();
  };
  const scrapeId = async (url: string): Promise<string> => {
    const { data } = await send('/v2/scrape', { url });
    return data.metadata.scrapeId;
  };
  const crawl = await send('/v2/crawl', { url: `${site.url}/`, limit: 11 });
  for (const tea of TEAS.slice(0, 4)) await send('/v2/scrape', { url: `${site.url}/${tea}` });
  await send('/v2/scrape', { url: `${site.url}/none`, fastMode: true });
  const blocked = await scrapeId(`${site.url}/locked`);
  const moved = await scrapeId(`${site.url}/old`);
  const failed = await send('/v2/batch/scrape', {
    urls: [`${site.url}/Assam`, 'http://127.0.0.1:1/'],
    webhook: { url: `${site.url}/locked`, events: ['completed', 'page'] },
  });
  const slow = await send('/v2/crawl', { url: `${site.url}/`, delay: 60, limit: 11 });
  await send('/v2/map', { url: site.url });
  const { monitor, check } = await watchOffer();

  /** Watches a page that then changes. @returns the ids of the monitor and of the check that finds the change */
  async function watchOffer(): Promise<{ monitor: string; check: string }> {
    const urls = [`${site.url}/offer`, `${site.url}/Assam`];
    const { data } = await send<{ data: { id: string } }>('/v2/monitor', {
      name: 'Offers of the Tea House',
      schedule: { text: 'daily at 9:00', timezone: 'Europe/Berlin' },
      targets: [{ type: 'scrape', urls }],
    });
    let check = '';
    for (isReduced of [false, false, true]) {
      check = (await send(`/v2/monitor/${data.id}/run`, {})).id;
      for (;;) {
        const read = await fetch(`${service.url}/v2/monitor/${data.id}`, {
          headers: { Authorization: `Bearer ${service.key}` },
        });
        if ((await read.json()).data.currentCheckId === null) break;
      }
    }
    return { monitor: data.id, check };
  }

  /** The views, and what is done in each before its picture is taken. */
  const views: [name: string, path: string, prepare: (page: Page) => Promise<unknown>][] = [
    ['playground', '', (page) => scrape(page)],
    [
      'crawl',
      `/jobs/crawl/${crawl.id}`,
      (page) => page.getByRole('list', { name: 'Documents' }).getByRole('button').last().waitFor(),
    ],
    ['why-blocked', `/jobs/scrape/${blocked}`, (page) => openWhy(page)],
    ['why-moved', `/jobs/scrape/${moved}`, (page) => openWhy(page)],
    ['why-failed', `/jobs/batch_scrape/${failed.id}`, (page) => openFailure(page)],
    ['pages', `/jobs/crawl/${crawl.id}`, (page) => searchPages(page)],
    ['layout', '/try/parse', (page) => openLayout(page)],
    ['hosts', `/jobs/crawl/${crawl.id}`, (page) => openHosts(page)],
    ['pace', `/jobs/crawl/${slow.id}`, (page) => openPace(page)],
    ['jobs', '/jobs', (page) => page.getByRole('table').waitFor()],
    ['monitors', '/monitors', (page) => page.getByText('1 changed, 1 same').first().waitFor()],
    ['monitor', `/monitors/${monitor}`, (page) => page.getByRole('region', { name: 'Checks' }).waitFor()],
    [
      'check',
      `/monitors/${monitor}/checks/${check}`,
      (page) => page.getByRole('region', { name: /^What changed/ }).waitFor(),
    ],
    ['sessions', '/sessions', (page) => page.getByRole('button', { name: 'Open a browser' }).waitFor()],
    ['usage', '/usage', (page) => page.getByRole('table').last().waitFor()],
    ['webhooks', '/webhooks', (page) => openDelivery(page)],
    ['guide', '/docs/guides/crawl', (page) => page.getByRole('main').waitFor()],
    ['guides', '/docs/guides', (page) => page.getByRole('main').waitFor()],
    ['search', '/docs/search?q=webhook%20signature', (page) => page.getByRole('main').waitFor()],
    ['reference', '/docs/', (page) => page.locator('.opblock').first().waitFor()],
    ['operator', '/operator', (page) => page.getByRole('region', { name: 'Workers' }).waitFor()],
    [
      'team',
      '/operator/teams/default',
      (page) => page.getByRole('region', { name: 'Keys of the team' }).waitFor(),
    ],
  ];
  const { path: executablePath } = await findChromium(readConfig());
  const browser = await chromium.launch({
    executablePath,
    args: ['--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1'],
  });
  mkdirSync(directory, { recursive: true });
  for (const theme of isForReadme ? (['light'] as const) : THEMES) {
    for (const width of isForReadme ? [1280] : WIDTHS) {
      await using context = await browser.newContext({
        colorScheme: theme,
        viewport: { width, height: HEIGHT },
      });
      // A busy machine takes its time.
      context.setDefaultTimeout(0);
      for (const [name, view, prepare] of views) {
        if (isForReadme && !README_VIEWS.includes(name)) continue;
        const page = await openView(context, view);
        await prepare(page);
        const file = isForReadme ? `${name}.png` : `${name}-${theme}-${width}.png`;
        await page.screenshot({ path: path.join(directory, file), fullPage: !isForReadme });
        await page.close();
      }
    }
  }
  await browser.close();
} finally {
  await service.stop();
}

async function openView(context: BrowserContext, view: string): Promise<Page> {
  const page = await context.newPage();
  const keys = {
    'winnow-api-key': service.key,
    'winnow-admin-key': readFileSync(path.join(service.dataDir, 'admin-key'), 'utf8').trim(),
  };
  await page.addInitScript((items) => {
    for (const [name, key] of Object.entries(items)) sessionStorage.setItem(name, key);
  }, keys);
  await page.goto(service.url + (view.startsWith('/docs') ? view : `/console${view}`));
  return page;
}

/** Opens what was sent to a webhook, and what came back. */
async function openDelivery(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Show what was sent' }).first().click();
  await page.getByRole('heading', { name: 'Response' }).waitFor();
}

/** Opens why a page went so. */
async function openWhy(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Why' }).click();
  await page.getByRole('table').waitFor();
}

/** Opens what changes the pace of a running crawl. */
async function openPace(page: Page): Promise<void> {
  await page.getByText('Change its pace').click();
  await page.getByRole('slider').first().waitFor();
}

/** Opens the hosts of a crawl. */
async function openHosts(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Pace' }).click();
  await page.getByRole('rowheader').first().waitFor();
}

/** Opens why a page of a batch failed. */
async function openFailure(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Failures' }).click();
  await page.getByRole('list', { name: 'Pages' }).getByRole('button').first().click();
  await page.getByRole('table').waitFor();
}

/** Looks for pages of a crawl by words of their URL. */
async function searchPages(page: Page): Promise<void> {
  await page.getByLabel('URL contains').fill('a');
  await page.getByRole('list', { name: 'Pages' }).getByRole('button').first().click();
  await page.getByRole('region', { name: 'Document' }).waitFor();
}

/** Opens the pages of a PDF with their blocks. */
async function openLayout(page: Page): Promise<void> {
  const file = path.join(import.meta.dirname, '../test/content/parsers/pdf/files/invoicelist.pdf');
  await page.getByLabel('file', { exact: true }).setInputFiles(file);
  await page.getByRole('button', { name: 'Parse', exact: true }).click();
  await page.getByRole('tab', { name: 'Pages' }).click();
  await page.getByRole('button', { name: 'Show the layout of the pages' }).click();
  await page.getByText(/^Page 1 of/).waitFor();
}

/** Scrapes a page in the playground. */
async function scrape(page: Page): Promise<void> {
  await page.getByLabel('url', { exact: true }).fill(`${site.url}/Darjeeling`);
  await page.getByRole('button', { name: 'links', exact: true }).click();
  await page.getByRole('button', { name: 'Scrape' }).click();
  await page.getByRole('tab', { name: 'Markdown' }).waitFor();
}
