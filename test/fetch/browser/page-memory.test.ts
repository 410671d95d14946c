import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PageMemory, pageMemoryLimits } from '../../../src/fetch/browser/chromium/page-memory.ts';
import type { Database } from '../../../src/storage/db/client.ts';
import { call } from '../../support/api/call.ts';
import { useService } from '../../support/service/use-service.ts';
import { startPages } from '../../support/sites/pages.ts';
import { makeTeam, openTestDatabase } from '../../support/storage/database.ts';
import { itInFullRun, sampleOf } from '../../support/suite/corpus.ts';

/** Pages that take the memory of the machine: in which process it is, and who fails for it. */

const MEGABYTE = 1024 * 1024;

describe('the memory of pages', () => {
  /** The processes that are ended among some with these sizes in MiB; the first one is that of the browser. */
  async function check(...sizes: number[]) {
    const ended: number[] = [];
    const memory = new PageMemory(
      { pageMb: 100, pagesMb: 250, browserMb: 50 },
      { measureMb: async (pid) => sizes[pid]!, end: (pid) => void ended.push(pid) },
    );
    memory.note(sizes.map((_, id) => ({ id, type: id ? 'renderer' : 'browser', cpuTime: 0 })));
    return { ended, measured: await memory.check(), again: () => memory.check() };
  }

  it('ends each page that takes more than one may, and no other', async () => {
    const { ended, measured } = await check(10, 20, 101, 100, 130);
    expect(ended).toEqual([4, 2]);
    expect(measured).toEqual({ totalMb: 361, isBrowserFull: false });
  });

  it('ends the largest pages when all together take more than they may', async () => {
    const { ended } = await check(10, 90, 99, 98, 10);
    expect(ended).toEqual([2]);
  });

  it('does not count a page that was ended once more, while its memory is given back', async () => {
    const { ended, again } = await check(10, 240, 90, 90);
    expect(await again()).toMatchObject({ totalMb: 190 });
    expect(ended).toEqual([1]);
  });

  it('tells that the process which all pages share takes more than it may', async () => {
    const { ended, measured } = await check(51, 10);
    expect(ended).toEqual([]);
    expect(measured.isBrowserFull).toBe(true);
  });

  it.each([
    [1, { pageMb: 256, pagesMb: 512, browserMb: 256 }],
    [4, { pageMb: 1024, pagesMb: 2048, browserMb: 1024 }],
    [64, { pageMb: 2048, pagesMb: 32_768, browserMb: 2048 }],
  ])('follows from a machine of %i GiB', (gigabytes, limits) => {
    expect(pageMemoryLimits(undefined, gigabytes * 1024 * MEGABYTE)).toEqual(limits);
  });
});

const often = (statement: string, ms = 20) => `const all = []; setInterval(() => { ${statement} }, ${ms});`;

/** Scripts that fill the process of their page. */
const OF_PAGE = {
  arrays: often('all.push(new Array(2e6).fill(Math.random()))'),
  buffers: 'const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1));',
  nodes: often('for (let n = 0; n < 1e5; n++) all.push(document.createElement("p"))', 10),
  canvases: often(`const canvas = document.createElement('canvas'); canvas.width = canvas.height = 3000;
    const pen = canvas.getContext('2d'); pen.fillRect(0, 0, 3000, 3000); pen.getImageData(0, 0, 1, 1); all.push(canvas);`),
  bitmaps: often('createImageBitmap(new ImageData(3000, 3000)).then((bitmap) => all.push(bitmap))'),
  'memory of WebAssembly': often(
    'const { buffer } = new WebAssembly.Memory({ initial: 500 }); new Uint8Array(buffer).fill(1); all.push(buffer);',
  ),
  workers: often(
    `new Worker(URL.createObjectURL(new Blob(['const all = []; setInterval(() => all.push(new Uint8Array(1e7).fill(1)), 20)'])))`,
    200,
  ),
  frames: often(
    `const frame = document.createElement('iframe'); frame.srcdoc = '<script>self.all = new Uint8Array(2e7).fill(1)</scr' + 'ipt>'; document.body.append(frame);`,
  ),
  messages: `const { port1 } = new MessageChannel(); const bytes = new Uint8Array(2e7).fill(1);
    setInterval(() => port1.postMessage(bytes), 20);`,
};

describe('a page that takes memory without an end', () => {
  const service = useService(() => ({ WINNOW_MAX_PAGE_MEMORY_MB: '400' }));
  let db: Database;
  beforeAll(() => {
    db = openTestDatabase(service);
  });
  afterAll(() => db.close());

  /** Scrapes the page of one team, and pages of another one all the while. */
  async function attack(script: string) {
    await using site = await startPages({
      '/hostile': `<!doctype html><title>Hostile</title><p>Text</p><script>${script}</script>`,
      '/other': '<!doctype html><title>Other</title><main><p>The other page.</p></main>',
    });
    const [attacker, other] = await Promise.all([makeTeam(db), makeTeam(db)]);
    const scrapeAs = (key: string, page: string, waitFor: number) =>
      call('/v2/scrape', {
        key,
        url: service.url,
        body: { url: `${site.url}${page}`, waitFor, maxAge: 0, timeout: 60_000 },
      });
    const answers: unknown[] = [];
    let isOver = false;
    const meanwhile = (async () => {
      do {
        const { body } = await scrapeAs(other.key, `/other?${answers.length}`, 200);
        answers.push(body.data?.markdown ?? body);
        await sleep(200);
      } while (!isOver);
    })();
    const { status, body } = await scrapeAs(attacker.key, '/hostile', 30_000);
    isOver = true;
    await meanwhile;
    expect(new Set(answers)).toEqual(new Set(['The other page.']));
    return { status, body };
  }

  it.each(sampleOf(Object.entries(OF_PAGE), 3))(
    'by %s fails, and pages of other teams in its browser do not',
    async (_what, script) => {
      const { status, body } = await attack(script);
      expect({ status, code: body.code }, JSON.stringify(body)).toEqual({
        status: 400,
        code: 'SCRAPE_PAGE_MEMORY_EXCEEDED',
      });
      expect(body.error).toContain('WINNOW_MAX_PAGE_MEMORY_MB');
    },
  );

  itInFullRun(
    'by blobs, which are in the process that all pages share, fails, and pages of other teams come',
    async () => {
      const { status, body } = await attack(often('all.push(new Blob([new Uint8Array(2e7)]))'));
      expect({ status, code: body.code }, JSON.stringify(body)).toEqual({ status: 500, code: 'WORKER_LOST' });
    },
  );
});
