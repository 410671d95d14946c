import { fieldsOf } from '../../src/json/json-object.ts';
import type { Attack } from './attack.ts';
import { type Attacker, textAt } from './attacker.ts';
import { startBatch } from './jobs.ts';

/** Attacks by the pages that are scraped. */

const LANES = 10;

/** Scrapes pages in turn. @param options of each scrape */
function scrapeInTurn(attacker: Attacker, urls: string[], options: object): Promise<void> {
  return attacker.repeat(LANES, async (turn) => {
    const url = `${urls[turn % urls.length]!}?${turn}`;
    const json = { url, timeout: attacker.timeoutMs, maxAge: 0, ...options };
    const { body } = await attacker.call('POST /v2/scrape', { json });
    const id = textAt(body, 'data', 'metadata', 'scrapeId');
    if (id) await attacker.call('GET /v2/scrape/{id}', { path: { id } });
  });
}

const at = (attacker: Attacker, ...names: string[]) => names.map((name) => `${attacker.around.site}/${name}`);

const bodies: Attack = {
  name: 'bodies',
  aim: 'pages that are endless, silent, packed or nested',
  run: (attacker) =>
    scrapeInTurn(
      attacker,
      at(
        attacker,
        'endless',
        'bomb',
        'nodes',
        'deep',
        'table',
        'links',
        'drip',
        'silent',
        'redirect',
        'headers',
        'text',
      ),
      { formats: ['markdown', 'html', 'links', 'images'] },
    ),
};

const scripts: Attack = {
  name: 'scripts',
  aim: 'pages whose scripts take processor and memory, in the browser',
  run: (attacker) =>
    scrapeInTurn(
      attacker,
      at(attacker, 'busy', 'memory', 'messages', 'blobs', 'growing', 'nodes', 'deep', 'endless'),
      {
        waitFor: 1_000,
        formats: ['markdown', { type: 'screenshot', fullPage: true }],
      },
    ),
};

const formats: Attack = {
  name: 'formats',
  aim: 'every format of a large page, with a thousand selectors and their answers',
  run: (attacker) =>
    scrapeInTurn(attacker, at(attacker, 'nodes', 'links', 'table'), {
      formats: [
        ...['markdown', 'html', 'rawHtml', 'links', 'images', 'summary', 'product'],
        {
          type: 'attributes',
          selectors: Array.from({ length: 50 }, () => ({ selector: 'p i, i ~ i', attribute: 'id' })),
        },
        { type: 'question', question: 'x'.repeat(1_000) },
      ],
      excludeTags: Array.from({ length: 1_000 }, (_, n) => `p:nth-child(${n + 2}) > i ~ i:not(b):has(u)`),
    }),
};

const copies: Attack = {
  name: 'copies',
  aim: 'copies of pages of the other team, and a cache that is filled',
  async run(attacker) {
    const { other, site } = attacker.around;
    const read = { timeout: attacker.timeoutMs, maxAge: 1_000_000_000 };
    // Requests for copies only, which would tell whether and when somebody has scraped the page.
    for (const [url, options] of [
      [other.page, { lockdown: true }],
      [other.page, { minAge: 0 }],
      [`${other.page}#part`, { lockdown: true, formats: ['html'] }],
      [other.page.replace('127.0.0.1', 'localhost'), { minAge: 0, ...read }],
    ] as const) {
      const { status } = await attacker.call('POST /v2/scrape', { json: { url, ...options } });
      const success = `POST /v2/scrape with ${JSON.stringify(options)} was answered by ${status} for a page of the other team`;
      attacker.attempt(success, status === 404);
    }
    const tracked = await attacker.call('POST /v2/scrape', {
      json: { url: other.page, ...read, formats: ['markdown', 'changeTracking'] },
    });
    attacker.attempt(
      'POST /v2/scrape returned a copy that the other team had fetched',
      textAt(tracked.body, 'data', 'metadata', 'cacheState') !== 'hit',
    );
    attacker.attempt(
      'changeTracking compared a page with the copy of the other team',
      textAt(tracked.body, 'data', 'changeTracking', 'previousScrapeAt') === '',
    );
    const found = await attacker.call('POST /v2/search', { json: { query: other.page } });
    attacker.attempt(
      'POST /v2/search found a page of the other team',
      !JSON.stringify(fieldsOf(found.body).data ?? '').includes(other.page),
    );
    await attacker.repeat(LANES, (turn) =>
      attacker.call('POST /v2/scrape', { json: { url: `${site}/text?${turn}`, ...read } }),
    );
  },
};

const tracking: Attack = {
  name: 'tracking',
  aim: 'change tracking under a new tag each time',
  async run(attacker) {
    await attacker.repeat(LANES, async (turn) => {
      const tag = `${turn}-${'t'.repeat(1_000)}`;
      const formats = ['markdown', { type: 'changeTracking', tag, modes: ['git-diff'] }];
      await attacker.call('POST /v2/scrape', {
        json: { url: `${attacker.around.site}/links`, formats, timeout: attacker.timeoutMs },
      });
    });
  },
};

const ports: Attack = {
  name: 'ports',
  aim: 'the ports of the service itself, in pages, webhooks and crawls',
  async run(attacker) {
    const { ports: own } = attacker.around;
    await attacker.repeat(LANES, async (turn) => {
      const url = `http://127.0.0.1:${own[turn % own.length]}/`;
      const json = { url, timeout: attacker.timeoutMs, ...(turn % 2 && { waitFor: 1 }) };
      const { status } = await attacker.call('POST /v2/scrape', { json });
      attacker.attempt(`POST /v2/scrape fetched ${url}, which is a part of the service`, status !== 200);
      await attacker.call('POST /v2/map', { json: { url, timeout: attacker.timeoutMs } });
      await attacker.call('POST /v2/extract', { json: { urls: [url], prompt: 'x', webhook: url } });
    });
  },
};

const searches: Attack = {
  name: 'searches',
  aim: 'searches with all their lists, whose pages are scraped, and feedback on each',
  async run(attacker) {
    await attacker.repeat(LANES, async (turn) => {
      const hosts = Array.from({ length: 100 }, (_, n) => `${'h'.repeat(60)}.${n}.test`);
      const json = {
        query: `text OR ${'page '.repeat(90)}`,
        limit: 100,
        timeout: attacker.timeoutMs,
        excludeDomains: hosts,
      };
      const found = await attacker.call('POST /v2/search', {
        json: turn % 2 ? json : { query: '"'.repeat(500), scrapeOptions: { formats: ['markdown', 'html'] } },
      });
      const id = textAt(found.body, 'id') || '0190a6e0-0000-7000-8000-000000000000';
      const feedback = {
        rating: 'bad',
        missingContent: Array.from({ length: 20 }, () => ({
          topic: 'x'.repeat(200),
          description: 'x'.repeat(2_000),
        })),
      };
      await attacker.call('POST /v2/search/{id}/feedback', { path: { id }, json: feedback });
      await attacker.call('POST /v2/feedback', { json: { endpoint: 'search', jobId: id, ...feedback } });
    });
  },
};

const actions: Attack = {
  name: 'actions',
  aim: 'fifty actions on each page: scripts without an end, screenshots, PDF files, clicks on everything',
  async run(attacker) {
    const screenshots = Array.from({ length: 50 }, () => ({
      type: 'screenshot',
      fullPage: true,
      viewport: { width: 3_000, height: 3_000 },
    }));
    const lists = [
      [{ type: 'executeJavascript', script: 'for (;;);' }],
      [{ type: 'executeJavascript', script: 'for (;;) document.body.append("x".repeat(1e6))' }],
      [{ type: 'executeJavascript', script: '"x".repeat(5e8)' }],
      [{ type: 'executeJavascript', script: 'for (;;) open("about:blank")' }],
      screenshots,
      Array.from({ length: 50 }, () => ({ type: 'pdf', format: 'A0', scale: 0.1 })),
      [{ type: 'click', selector: '*', all: true }],
      [
        { type: 'click', selector: 'body' },
        { type: 'write', text: 'x'.repeat(1_000_000) },
      ],
      Array.from({ length: 50 }, () => ({ type: 'scrape' })),
    ];
    await attacker.repeat(LANES, (turn) =>
      attacker.call('POST /v2/scrape', {
        json: {
          url: `${attacker.around.site}/${turn % 2 ? 'nodes' : 'text'}?${turn}`,
          timeout: attacker.timeoutMs,
          actions: lists[turn % lists.length],
        },
      }),
    );
  },
};

const names: Attack = {
  name: 'names',
  aim: 'hosts whose names do not exist or take long to look up, a new one for each page',
  async run(attacker) {
    await attacker.repeat(LANES, async (turn) => {
      const hosts = Array.from({ length: 200 }, (_, n) => `http://n${n}-${turn}.${Date.now()}.test/`);
      const id = await startBatch(attacker, hosts);
      await attacker.call('POST /v2/map', { json: { url: hosts[0], timeout: attacker.timeoutMs } });
      await attacker.call('POST /v2/scrape', {
        json: { url: hosts[1], timeout: attacker.timeoutMs, waitFor: 1 },
      });
      await attacker.call('DELETE /v2/batch/scrape/{id}', { path: { id } });
    });
  },
};

const visitors: Attack = {
  name: 'visitors',
  aim: 'another visitor for each page, so that no browser context, copy or connection is used again',
  async run(attacker) {
    const countries = ['DE', 'US', 'BR', 'JP', 'IN', 'FR'];
    await attacker.repeat(LANES, (turn) =>
      attacker.call('POST /v2/scrape', {
        json: {
          url: `${attacker.around.site}/plain/1`,
          timeout: attacker.timeoutMs,
          waitFor: 100,
          mobile: turn % 2 === 0,
          location: { country: countries[turn % countries.length], languages: [`de-x-v${turn}`] },
          headers: Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`X-${turn}-${n}`, ''])),
          blockAds: turn % 3 === 0,
        },
      }),
    );
  },
};

export const PAGE_ATTACKS: Attack[] = [
  bodies,
  scripts,
  formats,
  copies,
  tracking,
  ports,
  searches,
  actions,
  names,
  visitors,
];
