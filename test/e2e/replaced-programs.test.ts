import { statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { textLines, writePdf } from '../content/parsers/pdf/pdf-writer.ts';
import { call } from '../support/api/call.ts';
import { finished, startJob } from '../support/api/jobs.ts';
import { processesBelow } from '../support/processes/process-list.ts';
import { copyPrograms, type ReplaceablePrograms } from '../support/service/replaceable-programs.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { pollUntil } from '../support/suite/poll.ts';

/**
 * Programs of the machine that an upgrade replaces while the service uses them. Of Postgres the service keeps
 * a copy, of which `test/run/embedded/postgres.test.ts` has more. LibreOffice is not used.
 */

/** Pages of a batch; those from this one on respond only when the program was replaced. */
const PAGES = 8;
const FIRST_HELD = 4;
/** Pages that a crawl finds, the last of which waits likewise. */
const CRAWLED = ['/crawl', '/crawl/one', '/crawl/two', '/crawl/held'];

let programs: ReplaceablePrograms;
let service: RunningService;
beforeAll(async () => {
  programs = await copyPrograms();
  service = await startService({ emptyPostgres: inject('emptyPostgres'), ...programs.start });
});
afterAll(async () => {
  await service?.stop();
  programs?.[Symbol.dispose]();
});

const ask = (path: string, init: Parameters<typeof call>[1] = {}) =>
  call(path, { url: service.url, key: service.key, ...init });

/** A page with a script, or a PDF whose text has to be recognised. */
const textOf = (index: number) => `Document ${index} of the batch`;
const isFile = (index: number) => index % 2 === 1;

async function startSite(released: Promise<void>): Promise<Pages> {
  const paths = Array.from({ length: PAGES }, (_, index) => index);
  return startPages(
    Object.fromEntries([
      ['/second', '<title>Second</title><p>Second'],
      ...CRAWLED.map((path) => [
        path,
        async (_request: unknown, response: ServerResponse) => {
          if (path.endsWith('held')) await released;
          const links = CRAWLED.map((href) => `<a href="${href}">${href}</a>`).join(' ');
          const script = `document.querySelector('main').textContent = 'Crawled ${path}'`;
          response
            .setHeader('Content-Type', 'text/html')
            .end(`<main></main><nav>${links}</nav><script>${script}</script>`);
        },
      ]),
      ...paths.map((index) => [
        `/${index}`,
        async (_request: unknown, response: ServerResponse) => {
          if (index >= FIRST_HELD) await released;
          if (isFile(index))
            response
              .setHeader('Content-Type', 'application/pdf')
              .end(writePdf([{ texts: textLines(72, 100, [textOf(index)], 14) }], { garbledText: true }));
          else
            response
              .setHeader('Content-Type', 'text/html')
              .end(
                `<main></main><script>document.querySelector('main').textContent = '${textOf(index)}'</script>`,
              );
        },
      ]),
    ]),
  );
}

/** A session with a client, which uses a tab and code. */
async function openSession() {
  const { body: session } = await ask('/v2/browser', { body: {} });
  const browser = await puppeteer.connect({ browserWSEndpoint: session.cdpUrl });
  const [page] = await browser.pages();
  const execute = async (code: string) => {
    const { body } = await ask(`/v2/browser/${session.id}/execute`, { body: { code } });
    return body.result;
  };
  const end = async () => {
    await browser.disconnect();
    await ask(`/v2/browser/${session.id}`, { method: 'DELETE' });
  };
  return { browser, page: page!, execute, version: () => browser.version(), end };
}

/** Whether a process of the service runs a file. */
const runs = (file: string) => {
  const { ino } = statSync(file);
  return processesBelow([service.process.pid!]).some(({ pid }) => {
    try {
      return statSync(`/proc/${pid}/exe`).ino === ino;
    } catch {
      return false; // Ended since it was listed.
    }
  });
};

/** The server of the service's database; `undefined` while it restarts. */
const findPostgres = () =>
  processesBelow([service.process.pid!]).find(({ command }) => /\/postgres -D /.test(command))?.pid;

/** Ends the server as a crash does, and waits for its next start, which reads its programs again. */
async function restartPostgres(): Promise<void> {
  const ended = findPostgres()!;
  process.kill(ended, 'SIGKILL');
  await pollUntil(async () => {
    const current = findPostgres();
    return current !== undefined && current !== ended && (await ask('/ready')).status === 200;
  });
}

describe.runIf(process.platform === 'linux')(
  'while a batch, a crawl and a session run, an upgrade replaces',
  () => {
    it.for(['Chromium', 'Node', 'bubblewrap', 'the language data of Tesseract', 'Postgres'] as const)(
      '%s: nothing is lost, and new work goes on',
      async (name, { skip }) => {
        if (name === 'bubblewrap' && !programs.files.bubblewrap)
          skip('bubblewrap is not installed, or this user may not mount a copy of it');
        if (name === 'Postgres' && !programs.files.postgres)
          skip('Postgres is not a package of the machine, or this user may not mount a copy of it');
        const { promise: released, resolve: release } = Promise.withResolvers<void>();
        await using site = await startSite(released);
        const urls = Array.from({ length: PAGES }, (_, index) => `${site.url}/${index}`);
        const batch = { urls, waitFor: 1, maxAge: 0, timeout: 150_000 };
        const options = { url: service.url, key: service.key };
        const session = await openSession();
        await session.page.goto(`${site.url}/second`);
        expect(await session.execute('globalThis.kept = 41; await page.title()')).toBe('Second');
        const id = await startJob('/v2/batch/scrape', batch, options);
        const crawl = {
          url: `${site.url}/crawl`,
          sitemap: 'skip',
          scrapeOptions: { waitFor: 1, maxAge: 0, timeout: 150_000 },
        };
        const crawlId = await startJob('/v2/crawl', crawl, options);
        await pollUntil(
          () =>
            site.requests.some(({ path }) => Number(path.slice(1)) >= FIRST_HELD) &&
            site.requests.some(({ path }) => path === CRAWLED.at(-1)),
        );

        programs.replace[name]();
        if (name === 'Postgres') await restartPostgres();
        release();

        const { status, data } = await finished('/v2/batch/scrape', id, options);
        expect(status).toBe('completed');
        expect(data.map(({ markdown }: { markdown: string }) => markdown.trim()).sort()).toEqual(
          urls.map((_, index) => textOf(index)),
        );
        const crawled = await finished('/v2/crawl', crawlId, options);
        expect(crawled.status).toBe('completed');
        const texts = crawled.data.map(({ markdown }: { markdown: string }) =>
          markdown.split('\n')[0]?.trim(),
        );
        expect(texts.sort()).toEqual(CRAWLED.map((path) => `Crawled ${path}`).sort());
        // The session that was open goes on, with further tabs and code.
        expect(await session.execute('kept + 1')).toBe('42');
        const tab = await session.browser.newPage();
        await tab.goto(`${site.url}/second`);
        expect([await tab.title(), await session.page.title()]).toEqual(['Second', 'Second']);
        expect(await tab.screenshot()).toHaveProperty('length');
        // The spare browser may have been started before, so the next but one is new for sure.
        const next = [await openSession(), await openSession()];
        for (const { page, execute } of next) {
          await page.goto(`${site.url}/second`);
          expect(await execute('await page.title()')).toBe('Second');
        }
        const versions = await Promise.all([session, ...next].map(({ version }) => version()));
        if (name === 'Chromium' && programs.hasOtherBrowser) expect(versions.at(-1)).not.toBe(versions[0]);
        const { node, bubblewrap } = programs.files;
        if (name === 'Node') expect(runs(node)).toBe(true);
        if (name === 'bubblewrap' && bubblewrap) expect(runs(bubblewrap)).toBe(true);
        const scraped = await ask('/v2/scrape', {
          body: { url: `${site.url}/second`, waitFor: 1, maxAge: 0 },
        });
        expect(scraped.body.data?.markdown).toContain('Second');
        for (const { end } of [session, ...next]) await end();
      },
    );
  },
);
