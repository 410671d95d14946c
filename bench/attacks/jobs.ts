import { WebSocket } from 'ws';
import type { Attack } from './attack.ts';
import { type Attacker, listAt, textAt } from './attacker.ts';

/** Attacks by batches and crawls, and by those who watch them. */

const LANES = 4;
const WATCHERS = 500;
const PATTERNS = 200;

/** Starts a batch. @returns its id; `none` if it was refused */
export async function startBatch(attacker: Attacker, urls: string[], options: object = {}): Promise<string> {
  const json = { urls, timeout: attacker.timeoutMs, ...options };
  return textAt((await attacker.call('POST /v2/batch/scrape', { json })).body, 'id') || 'none';
}

async function startCrawl(attacker: Attacker, json: object): Promise<string> {
  return textAt((await attacker.call('POST /v2/crawl', { json })).body, 'id') || 'none';
}

const patterns: Attack = {
  name: 'patterns',
  aim: 'patterns of crawls and maps that backtrack, over long links',
  async run(attacker) {
    const url = `${attacker.around.site}/links`;
    const includePaths = Array.from({ length: PATTERNS }, (_, n) => `^/any/(a|aa)+(\\d+)*(a*)*${n}$`);
    await attacker.repeat(LANES, async (turn) => {
      const crawl = {
        url: `${url}?${turn}`,
        limit: 1_000,
        includePaths,
        ignoreRobotsTxt: true,
        sitemap: 'skip',
      };
      const id = await startCrawl(attacker, crawl);
      await attacker.call('POST /v2/map', {
        json: {
          url,
          includePaths,
          excludePaths: includePaths,
          search: 'a'.repeat(1_000),
          timeout: attacker.timeoutMs,
        },
      });
      await attacker.call('POST /v2/crawl/params-preview', {
        json: { url, prompt: `only /${'(a|aa)+'.repeat(1_000)}/ and not /x` },
      });
      await attacker.call('GET /v2/crawl/{id}', { path: { id } });
      await attacker.call('DELETE /v2/crawl/{id}', { path: { id } });
    });
  },
};

const traps: Attack = {
  name: 'traps',
  aim: 'sites without an end: sitemaps, robots.txt, links',
  async run(attacker) {
    const { site } = attacker.around;
    await attacker.repeat(LANES, async (turn) => {
      const id = await startCrawl(attacker, {
        url: `${site}/trap/${turn + 1}`,
        limit: 100_000,
        crawlEntireDomain: true,
        ignoreRobotsTxt: turn % 2 === 0,
        sitemap: 'include',
        maxConcurrency: 50,
        scrapeOptions: { maxAge: 0, timeout: attacker.timeoutMs },
      });
      const path = { id };
      await attacker.call('POST /v2/map', {
        json: { url: site, limit: 100_000, timeout: attacker.timeoutMs, sitemap: 'only' },
      });
      await attacker.call('GET /v2/crawl/{id}', { path, query: 'limit=100' });
      await attacker.call('GET /v2/crawl/{id}/errors', { path });
      await attacker.call('POST /v2/crawl/{id}/pause', { path, json: {} });
      await attacker.call('POST /v2/crawl/{id}/retune', { path, json: { maxConcurrency: 1 } });
      await attacker.call('POST /v2/crawl/{id}/resume', { path, json: {} });
      await attacker.call('GET /v2/crawl/active');
      await attacker.call('GET /v2/crawl/ongoing');
      await attacker.rest(3_000);
      await attacker.call('DELETE /v2/crawl/{id}', { path });
      await attacker.call('POST /v2/crawl/{id}/retry', { path, json: {} });
      await attacker.call('DELETE /v2/crawl/{id}', { path });
    });
  },
};

/** Opens a WebSocket that reads until the attack is over, and opens it again when it is closed. */
async function watch(attacker: Attacker, path: string): Promise<void> {
  do {
    const socket = new WebSocket(`${attacker.origin.replace('http', 'ws')}${path}`, attacker.key);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    // A watcher that the limits refuse is closed.
    socket.on('error', () => undefined);
    const rest = attacker.rest(5_000);
    await Promise.race([closed, rest]);
    await rest;
    socket.terminate();
  } while (!attacker.isOver);
}

const watchers: Attack = {
  name: 'watchers',
  aim: '500 WebSockets and as many requests that watch a batch, and searches in its pages',
  async run(attacker) {
    const { site } = attacker.around;
    const urls = Array.from({ length: 2_000 }, (_, n) => `${site}/plain/${n}`);
    const id = await startBatch(attacker, [...urls, `${site}/silent`], { maxAge: 0 });
    const path = { id };
    const sockets = Array.from({ length: WATCHERS }, () => watch(attacker, `/v2/batch/scrape/${id}`));
    await attacker.repeat(LANES, async () => {
      await attacker.call('GET /v2/batch/scrape/{id}', { path });
      await attacker.call('GET /v2/batch/scrape/{id}/errors', { path });
      const query = `search=${'e+'.repeat(10)}&limit=1000&skip=1000`;
      await attacker.call('GET /v2/batch/scrape/{id}/pages', { path, query });
    });
    await Promise.all(sockets);
    await attacker.call('DELETE /v2/batch/scrape/{id}', { path });
  },
};

const webhooks: Attack = {
  name: 'webhooks',
  aim: 'thousands of events for a receiver that never answers',
  async run(attacker) {
    const { site } = attacker.around;
    const webhook = {
      url: `${site}/silent`,
      metadata: { text: 'x'.repeat(16_000) },
      headers: { 'x-long': 'x'.repeat(4_000) },
    };
    const started = new Set<string>();
    await attacker.repeat(LANES, async (turn) => {
      const urls = Array.from({ length: 200 }, (_, n) => `${site}/plain/${turn}-${n}`);
      const id = await startBatch(attacker, urls, { webhook });
      started.add(id);
      const path = { id };
      await attacker.call('POST /v2/batch/scrape/{id}/pause', { path, json: {} });
      await attacker.call('POST /v2/batch/scrape/{id}/retune', { path, json: { maxConcurrency: 50 } });
      await attacker.call('POST /v2/batch/scrape/{id}/resume', { path, json: {} });
      const { body } = await attacker.call('GET /v2/webhooks/deliveries', { query: 'limit=100' });
      for (const delivery of listAt(body, 'data').slice(0, 20)) {
        const delivered = { id: textAt(delivery, 'id') };
        await attacker.call('GET /v2/webhooks/deliveries/{id}', { path: delivered });
        await attacker.call('POST /v2/webhooks/deliveries/{id}/redeliver', { path: delivered, json: {} });
      }
      await attacker.call('POST /v2/batch/scrape/{id}/retry', { path, json: {} });
    });
    for (const id of started) await attacker.call('DELETE /v2/batch/scrape/{id}', { path: { id } });
  },
};

const keys: Attack = {
  name: 'keys',
  aim: 'idempotency keys, and pages that are added again and again',
  async run(attacker) {
    const { site } = attacker.around;
    const id = await startBatch(attacker, [`${site}/silent`], { timeout: 60_000 });
    await attacker.repeat(LANES * 4, async (turn) => {
      const raw = JSON.stringify({ urls: [`${site}/plain/${turn}`] });
      const headers = { 'x-idempotency-key': `${'k'.repeat(200)}${turn % 3}` };
      await attacker.call('POST /v2/batch/scrape', { raw, headers });
      const urls = Array.from({ length: 100 }, (_, n) => `${site}/plain/${turn % 7}-${n}`);
      await attacker.call('POST /v2/batch/scrape', { json: { urls, appendToId: id, timeout: 60_000 } });
    });
    await attacker.call('DELETE /v2/batch/scrape/{id}', { path: { id } });
  },
};

const signals: Attack = {
  name: 'signals',
  aim: 'a batch that is paused, resumed and retuned again and again, which its workflow has to remember',
  async run(attacker) {
    const id = await startBatch(attacker, [`${attacker.around.site}/silent`], { timeout: 300_000 });
    const path = { id };
    await attacker.repeat(LANES * 8, async (turn) => {
      const verb = turn % 2 ? 'pause' : 'resume';
      await attacker.call(`POST /v2/batch/scrape/{id}/${verb}`, { path, json: {} });
      await attacker.call('POST /v2/batch/scrape/{id}/retune', { path, json: { delay: turn % 60 } });
      await attacker.call('POST /v2/batch/scrape/{id}/retry', { path, json: {} });
    });
    const { body } = await attacker.call('GET /v2/batch/scrape/{id}', { path });
    if (textAt(body, 'status') === 'failed')
      attacker.strange.push('POST /v2/batch/scrape/{id}/resume has ended the batch');
    await attacker.call('DELETE /v2/batch/scrape/{id}', { path });
  },
};

export const JOB_ATTACKS: Attack[] = [patterns, traps, watchers, webhooks, keys, signals];
