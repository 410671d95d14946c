import type { Attack } from './attack.ts';
import { type Attacker, textAt } from './attacker.ts';

/** Attacks by version 1 of the API, which translates requests before version 2 checks them. */

const LANES = 8;
const list = (length: number, one: (n: number) => unknown) => Array.from({ length }, (_, n) => one(n));
/** An object with as many members that version 1 ignores. */
const unknownMembers = (length: number) =>
  Object.fromEntries(list(length, (n) => [`x${n}`, n]) as [string, unknown][]);

/** Bodies of about 10 MB that the translation goes through, for each endpoint that takes one. */
const BODIES: Record<string, () => unknown> = {
  'POST /v1/scrape': () => ({ url: 'https://example.com/', formats: list(1_000_000, () => 'markdown') }),
  'POST /v1/crawl': () => ({ url: 'https://example.com/', excludePaths: list(500_000, (n) => `^/${n}$`) }),
  'POST /v1/batch/scrape': () => ({
    urls: list(500_000, (n) => `not a URL ${n}`),
    ...unknownMembers(100_000),
  }),
  'POST /v1/map': () => ({
    url: 'https://example.com/',
    sitemapOnly: true,
    includePaths: list(500_000, String),
  }),
  'POST /v1/search': () => ({
    query: 'x',
    scrapeOptions: { location: { languages: list(1_000_000, () => 'en') } },
  }),
  'POST /v1/extract': () => ({ urls: list(500_000, (n) => `https://example.com/${n}`), prompt: 'x' }),
};

const olderBodies: Attack = {
  name: 'older bodies',
  aim: 'bodies of version 1 of many megabytes, of lists and of members that it ignores',
  async run(attacker) {
    const operations = Object.keys(BODIES);
    const texts = new Map<string, string>();
    const textOf = (operation: string) => {
      const text = texts.get(operation) ?? JSON.stringify(BODIES[operation]?.());
      texts.set(operation, text);
      return text;
    };
    const { site } = attacker.around;
    const ignored = JSON.stringify({
      url: `${site}/plain/1`,
      scrapeOptions: { webhook: unknownMembers(100_000), actions: list(50, () => unknownMembers(2_000)) },
      ...unknownMembers(200_000),
      __proto__: null,
      limit: 1,
      maxDepth: 0,
    });
    let next = 0;
    await attacker.repeat(LANES, async () => {
      const operation = operations[next++ % operations.length]!;
      await attacker.call(operation, { raw: textOf(operation) });
      const { body } = await attacker.call('POST /v1/crawl', { raw: ignored });
      await attacker.call('DELETE /v1/crawl/{id}', { path: { id: textAt(body, 'id') || 'none' } });
    });
  },
};

/** Options of version 1 that the translation makes larger: data under two names, and a pattern of a depth. */
const growing = (attacker: Attacker) => ({
  formats: ['json', 'extract', 'screenshot@fullPage', 'content', 'links'],
  jsonOptions: {
    prompt: 'x'.repeat(5_000),
    systemPrompt: 'x'.repeat(5_000),
    schema: { pattern: '^(a|aa)+$' },
  },
  extract: { prompt: 'y'.repeat(5_000) },
  timeout: attacker.timeoutMs,
});

const olderJobs: Attack = {
  name: 'older jobs',
  aim: 'jobs of version 1 on pages without an end, read and cancelled as the other kind',
  async run(attacker) {
    const { site } = attacker.around;
    const scrapeOptions = growing(attacker);
    await attacker.repeat(LANES, async (turn) => {
      const url = `${site}/links?${turn}`;
      const crawl = await attacker.call('POST /v1/crawl', {
        json: {
          url: `${url}${'/a'.repeat(90)}`,
          maxDepth: 9,
          regexOnFullURL: true,
          allowBackwardLinks: true,
          limit: 100,
          scrapeOptions,
        },
      });
      const urls = list(100, (n) => `${site}/nodes?${turn}-${n}`);
      const batch = await attacker.call('POST /v1/batch/scrape', { json: { urls, ...scrapeOptions } });
      await attacker.call('POST /v1/scrape', { json: { url, ...scrapeOptions } });
      await attacker.call('POST /v1/map', {
        json: { url, sitemapOnly: turn % 2 === 0, timeout: attacker.timeoutMs },
      });
      await attacker.call('POST /v1/search', { json: { query: '"'.repeat(500), scrapeOptions } });
      const extract = await attacker.call('POST /v1/extract', {
        json: { urls: [url], prompt: 'x', scrapeOptions },
      });
      await attacker.call('GET /v1/extract/{id}', { path: { id: textAt(extract.body, 'id') || 'none' } });
      for (const id of [crawl, batch].map(({ body }) => textAt(body, 'id') || 'none')) {
        // Either kind is read by the paths of both.
        for (const kind of ['crawl', 'batch/scrape']) {
          await attacker.call(`GET /v1/${kind}/{id}`, { path: { id } });
          await attacker.call(`GET /v1/${kind}/{id}/errors`, { path: { id } });
          await attacker.call(`DELETE /v1/${kind}/{id}/errors`, { path: { id } });
        }
      }
      await attacker.call('DELETE /v1/batch/scrape/{id}', {
        path: { id: textAt(crawl.body, 'id') || 'none' },
      });
      await attacker.call('DELETE /v1/crawl/{id}', { path: { id: textAt(batch.body, 'id') || 'none' } });
    });
  },
};

/** The operations of version 1 that read the account. */
const READS = [
  'crawl/active',
  'crawl/ongoing',
  'team/credit-usage',
  'team/credit-usage/historical',
  'team/token-usage',
  'team/token-usage/historical',
  'team/queue-status',
  'concurrency-check',
].map((path) => `GET /v1/${path}`);

const olderIds: Attack = {
  name: 'older ids',
  aim: 'ids of the other team by version 1, and lists of the account with queries that it ignores',
  async run(attacker) {
    const ids = [attacker.around.other.scrapeId, '../../admin', '\0', 'x'.repeat(7_000)];
    const query = list(200, (n) => `x${n}=${'y'.repeat(30)}`).join('&');
    await attacker.repeat(LANES * 4, async (turn) => {
      for (const operation of READS) await attacker.call(operation, { query });
      const path = { id: ids[turn % ids.length]! };
      for (const operation of ['scrape', 'extract', 'crawl', 'batch/scrape'].map(
        (kind) => `GET /v1/${kind}/{id}`,
      )) {
        const { status } = await attacker.call(operation, { path });
        attacker.attempt(`${operation} of another team was answered by 200`, status !== 200);
      }
    });
  },
};

/** The attacks by version 1 of the API. */
export const OLDER_ATTACKS: readonly Attack[] = [olderBodies, olderJobs, olderIds];
