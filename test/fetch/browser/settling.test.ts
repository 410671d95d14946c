import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { startBrowser, type TestBrowser } from '../../support/browser/start-browser.ts';
import { startPages } from '../../support/sites/pages.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/**
 * Late content of a page is read, although its clock is set forward once it is calm. The pages are long
 * enough not to count as a shell, and what they show late comes within the time that a page has to be quiet.
 */

const STORY = `<p>${'The story that the page tells to everybody who asks. '.repeat(6)}</p><p id="late"></p>`;
const script = (code: string) =>
  `<script>const show = (text) => { late.textContent += text }; ${code}</script>`;
const html = (body: string) =>
  `<!doctype html><html><head><title>Late</title></head><body>${body}</body></html>`;
const after =
  (ms: number, body: string): RequestListener =>
  (_request, response) =>
    void setTimeout(() => response.end(body), ms);

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser({ hosts: ['site.example', 'other.example'] });
});
afterAll(() => browser[Symbol.asyncDispose]());

/**
 * Opens a page, which is quiet for longer than it is waited for on a busy machine, until it shows what comes
 * by itself.
 */
const readUntilDone = (...page: Parameters<typeof read>) =>
  pollUntil(async () => {
    const found = await read(...page);
    return found.includes('>DONE<') && found;
  });

/** Opens the page and returns its HTML. */
async function read(body: string, rest: Parameters<typeof startPages>[0] = {}): Promise<string> {
  await using pages = await startPages({ '/': html(STORY + body), ...rest });
  const url = pages.url.replace('127.0.0.1', 'site.example');
  return (await browser.visit(url)).html ?? '';
}

describe('a page of a job has no more requests', () => {
  const showWith =
    (status: number, body: string): RequestListener =>
    (_request, response) =>
      void response.writeHead(status, { 'Content-Type': 'text/html' }).end(html(STORY + body));

  /**
   * Opens a page of the job.
   * @param options.imageMs how many milliseconds its image takes; `Infinity` if it never comes
   * @returns what happened, in order
   */
  async function followRequests(
    body: string,
    { status = 200, imageMs = 0 }: { status?: number; imageMs?: number | undefined } = {},
  ): Promise<string[]> {
    const told: string[] = [];
    const answerLate: RequestListener = async (_request, response) => {
      if (imageMs === Number.POSITIVE_INFINITY) return;
      await sleep(imageMs);
      told.push('answered');
      response.end();
    };
    await using pages = await startPages({
      '/': showWith(status, body),
      '/slow': answerLate,
      '/busy': showWith(429, ''),
    });
    const url = pages.url.replace('127.0.0.1', 'site.example');
    await browser.visit(url, { sharedBy: 'job', onRequestsEnded: () => told.push('no more requests') });
    return [...told, 'read'];
  }

  /**
   * On a busy machine, a page may have been quiet long enough to be read when it is looked at for the first
   * time.
   */
  const followUntilTold = (body: string, imageMs?: number) =>
    pollUntil(async () => {
      const found = await followRequests(body, { imageMs });
      return found.includes('no more requests') && found;
    });

  it('while it is only watched, before it is read', async () => {
    expect(await followUntilTold('')).toEqual(['no more requests', 'read']);
  });

  it('only after the last one has ended, be it for an image', async () => {
    const found = await followUntilTold('<img src="/slow">', 150);
    expect(found).toEqual(['answered', 'no more requests', 'read']);
  });

  it('never while the last one is open', async () => {
    expect(await followRequests('<img src="/slow">', { imageMs: Number.POSITIVE_INFINITY })).toEqual([
      'read',
    ]);
  });

  it('never if its host may have asked us to slow down', async () => {
    expect(await followRequests('', { status: 503 })).toEqual(['read']);
  });

  it('never if it moves on, and its host may have asked us to slow down then', async () => {
    expect(await followRequests('<script>location.replace("/busy")</script>')).toEqual(['read']);
  });
});

describe('a page that is only read has in its result', () => {
  const LATE: [string, string][] = [
    ['by a timer', `setTimeout(() => show('DONE'), 350)`],
    [
      'by a chain of timers',
      `let n = 0; (function next() { ++n < 9 ? setTimeout(next, 40) : show('DONE') })()`,
    ],
    ['by a timer that fetches', `setTimeout(async () => show(await (await fetch('/slow')).text()), 300)`],
    [
      'by timers and requests in turn',
      `(async () => { for (let n = 0; n < 3; n++) {
        await new Promise((resolve) => setTimeout(resolve, 300)); await fetch('/slow'); show('.'); } show('DONE') })()`,
    ],
    [
      'by a request that a timer of the page would give up',
      `setTimeout(async () => {
        const given = setTimeout(() => show('given up'), 3000);
        show(await (await fetch('/slow')).text()); clearTimeout(given); }, 300)`,
    ],
    [
      'by a timer that starts animation frames',
      `setTimeout(() => requestAnimationFrame(() => show('DONE')), 300)`,
    ],
    [
      'by a timer that starts idle callbacks',
      `setTimeout(() => requestIdleCallback(() => show('DONE')), 300)`,
    ],
    [
      'by a timer that posts a message',
      `onmessage = () => show('DONE'); setTimeout(() => postMessage(1, '*'), 300)`,
    ],
    [
      'by a timer that computes a hash',
      `setTimeout(async () => { const bytes = await new Blob(['a']).arrayBuffer(); bytes && show('DONE') }, 300)`,
    ],
    [
      'in spite of a picture that does not come',
      `new Image().src = '/hang'; setTimeout(() => show('DONE'), 350)`,
    ],
  ];
  it.each(LATE)('what appears %s', async (_how, code) => {
    const found = await read(script(code), { '/slow': after(700, 'DONE'), '/hang': () => undefined });
    expect(/id="late">([^<]*)/.exec(found)?.[1]).toMatch(/^\.*DONE$/);
  });

  it('what appears once a database has answered a timer', async () => {
    const found = await readUntilDone(
      script(`setTimeout(() => { indexedDB.open('a').onsuccess = () => show('DONE') }, 300)`),
    );
    expect(found).toContain('>DONE<');
  });

  it('what a worker sends after a while', async () => {
    const found = await readUntilDone(
      script(`new Worker('/worker.js').onmessage = ({ data }) => show(data)`),
      {
        '/worker.js': (_request, response) =>
          void response
            .writeHead(200, { 'Content-Type': 'text/javascript' })
            .end(`setTimeout(() => postMessage('DONE'), 250)`),
      },
    );
    expect(found).toContain('>DONE<');
  });

  it('what a frame of another site sends after a while', async () => {
    await using other = await startPages({
      '/': html(script(`setTimeout(() => parent.postMessage('DONE', '*'), 250)`)),
    });
    const url = other.url.replace('127.0.0.1', 'other.example');
    const found = await readUntilDone(
      `<iframe src="${url}/"></iframe>${script('onmessage = ({ data }) => show(data)')}`,
    );
    expect(found).toContain('>DONE<');
  });

  it('what comes over a WebSocket after a while', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    server.on('connection', (socket) => setTimeout(() => socket.send('DONE'), 250));
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const found = await readUntilDone(
      script(`new WebSocket('ws://site.example:${port}').onmessage = ({ data }) => show(data)`),
    );
    server.close();
    expect(found).toContain('>DONE<');
  });

  it('what the server sends as an event after a while', async () => {
    const found = await readUntilDone(
      script(`new EventSource('/events').onmessage = ({ data }) => show(data)`),
      {
        '/events': (_request, response) => {
          response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
          setTimeout(() => response.write('data: DONE\n\n'), 250);
        },
      },
    );
    expect(found).toContain('>DONE<');
  });

  it('the page that its timers navigate to, with what that shows late', async () => {
    const found = await read(script(`setTimeout(() => { location.href = '/next' }, 350)`), {
      '/next': html(STORY + script(`setTimeout(() => { location.href = '/last' }, 350)`)),
      '/last': html(STORY + script(`setTimeout(() => show('DONE'), 350)`)),
    });
    expect(found).toContain('>DONE<');
  });

  it('everything but the script that waits in a loop for a clock that stands still', async () => {
    const found = await read(
      script(
        `setTimeout(() => { for (const since = Date.now(); Date.now() - since < 200; ); show('DONE') }, 350)`,
      ),
    );
    expect(found).toContain('The story');
  });

  it('nothing that appears after more time than a page has to be quiet', async () => {
    // On a busy machine, a visit may last until the timer of the page is due.
    const found = await pollUntil(async () => {
      const startedAt = performance.now();
      const html = await read(script(`setTimeout(() => show('TOO LATE'), 5500)`));
      return performance.now() - startedAt < 5_500 && html;
    });
    expect(found).toMatch(/id="late"><\/p>/);
  });
});
