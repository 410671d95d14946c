import type { Attack } from './attack.ts';
import { textAt } from './attacker.ts';
import { startBatch } from './jobs.ts';

/** Attacks by what is in a request: its lists, patterns, headers, ids and speed. */

const LANES = 8;
/** A pattern that takes exponential time in an engine that tries again. */
const CATASTROPHE = '^(a|aa)+$';
/** A pattern whose program is as large as one may be. */
const SLOW_TO_COMPILE = '[a-z]{1,900}';
const list = (length: number, one: (n: number) => unknown) => Array.from({ length }, (_, n) => one(n));

/** Bodies of about 10 MB with long lists, for each endpoint that takes one. */
const LISTS: Record<string, unknown> = {
  'POST /v2/scrape': { url: 'https://example.com/', formats: list(1_000_000, () => 'markdown') },
  'POST /v2/batch/scrape': { urls: list(500_000, (n) => `not a URL ${n}`), ignoreInvalidURLs: true },
  'POST /v2/crawl': { url: 'https://example.com/', excludePaths: list(500_000, (n) => `^/${n}$`) },
  'POST /v2/map': { url: 'https://example.com/', includePaths: list(500_000, (n) => `^/${n}$`) },
  'POST /v2/search': { query: 'x', includeDomains: list(500_000, (n) => `host-${n}.test`) },
  'POST /v2/extract': { urls: list(500_000, (n) => `https://example.com/${n}`), prompt: 'x' },
  'POST /v2/agent': { prompt: 'x', urls: list(500_000, (n) => `https://example.com/${n}`) },
  'POST /v2/feedback': { endpoint: 'scrape', jobId: 'x', rating: 'bad', issues: list(1_000_000, () => 'x') },
  'POST /v2/browser': { profile: list(1_000_000, () => ({})) },
  'POST /v2/interact': { location: { languages: list(1_000_000, () => 'en') } },
  'POST /v2/support/ask': { question: 'x', context: list(1_000_000, (n) => n) },
  'POST /v2/support/docs-search': { question: list(1_000_000, () => 'x') },
  'POST /v2/parse/upload-url': { filename: 'x'.repeat(10_000_000) },
};

const lists: Attack = {
  name: 'lists',
  aim: 'bodies of many megabytes that are lists',
  async run(attacker) {
    const operations = Object.keys(LISTS);
    const texts = new Map<string, string>();
    const textOf = (operation: string) => {
      const text = texts.get(operation) ?? JSON.stringify(LISTS[operation]);
      texts.set(operation, text);
      return text;
    };
    let next = 0;
    await Promise.all(operations.map((operation) => attacker.call(operation, { raw: textOf(operation) })));
    await attacker.repeat(LANES, () => {
      const operation = operations[next++ % operations.length]!;
      return attacker.call(operation, { raw: textOf(operation) });
    });
  },
};

const nesting: Attack = {
  name: 'nesting',
  aim: 'JSON of great depth, in bodies and headers',
  async run(attacker) {
    const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;
    const object = `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`;
    const id = await startBatch(attacker, [`${attacker.around.site}/plain/1`]);
    await attacker.repeat(LANES, async (turn) => {
      const raw = `{"url":"https://example.com/","headers":${turn % 2 ? deep : object}}`;
      await attacker.call('POST /v2/scrape', { raw });
      await attacker.call('POST /v2/batch/scrape/{id}/retune', { path: { id }, raw });
      await attacker.call('POST /v2/batch/scrape', {
        raw: object,
        headers: { 'x-idempotency-key': `${turn}` },
      });
    });
  },
};

const schemas: Attack = {
  name: 'schemas',
  aim: 'JSON Schemas with patterns that backtrack, and with one that takes long to compile in a thousand places',
  async run(attacker) {
    const schema = {
      type: 'object',
      properties: Object.fromEntries(
        list(100, (n) => [`text${n}`, { type: 'string', pattern: CATASTROPHE }]) as [string, unknown][],
      ),
      patternProperties: { [CATASTROPHE]: { type: 'string', pattern: `(${CATASTROPHE})+$` } },
    };
    const repeated = {
      type: 'object',
      properties: Object.fromEntries(
        list(1_000, (n) => [`text${n}`, { pattern: SLOW_TO_COMPILE }]) as [string, unknown][],
      ),
    };
    const url = `${attacker.around.site}/text`;
    await attacker.repeat(LANES, async (turn) => {
      await attacker.call('POST /v2/scrape', {
        json: { url, formats: [{ type: 'json', schema: repeated }], timeout: attacker.timeoutMs },
      });
      await attacker.call('POST /v2/scrape', {
        json: { url: `${url}?${turn}`, formats: [{ type: 'json', schema }], timeout: attacker.timeoutMs },
      });
      const extract = await attacker.call('POST /v2/extract', { json: { urls: [url], schema } });
      await attacker.call('GET /v2/extract/{id}', { path: { id: textAt(extract.body, 'id') || 'none' } });
    });
  },
};

const ID = '0190a6e0-0000-7000-8000-000000000000';
/** The operations on an id, with bodies that are valid. */
const ON_IDS: [operation: string, json?: unknown][] = [
  ['GET /v2/scrape/{id}'],
  ['GET /v2/scrape/{id}/why'],
  ['GET /v2/map/{id}'],
  ['GET /v2/search/{id}'],
  ['POST /v2/scrape/{id}/interact', { code: '1' }],
  ['DELETE /v2/scrape/{id}/interact'],
  ['GET /v2/batch/scrape/{id}'],
  ['DELETE /v2/batch/scrape/{id}'],
  ['GET /v2/batch/scrape/{id}/errors'],
  ['GET /v2/batch/scrape/{id}/hosts'],
  ['GET /v2/batch/scrape/{id}/pages'],
  ['GET /v2/batch/scrape/{id}/export'],
  ...['pause', 'resume', 'retry'].flatMap((verb): [string, unknown][] => [
    [`POST /v2/batch/scrape/{id}/${verb}`, {}],
    [`POST /v2/crawl/{id}/${verb}`, {}],
  ]),
  ['POST /v2/batch/scrape/{id}/retune', { maxConcurrency: 1 }],
  ['POST /v2/crawl/{id}/retune', { maxConcurrency: 1 }],
  ['GET /v2/crawl/{id}'],
  ['DELETE /v2/crawl/{id}'],
  ['GET /v2/crawl/{id}/errors'],
  ['GET /v2/crawl/{id}/hosts'],
  ['GET /v2/crawl/{id}/pages'],
  ['GET /v2/crawl/{id}/export'],
  ['POST /v2/search/{id}/feedback', { rating: 'bad', querySuggestions: 'x' }],
  ['GET /v2/extract/{id}'],
  ['GET /v2/agent/{id}'],
  ['DELETE /v2/agent/{id}'],
  ['GET /v2/agent/{id}/trace'],
  ['GET /v2/agent/{id}/snapshots/{snapshotId}'],
  ['GET /v2/agent/threads/{id}'],
  ...['browser', 'interact'].flatMap((kind): [string, unknown?][] => [
    [`GET /v2/${kind}/{id}`],
    [`DELETE /v2/${kind}/{id}`],
    [`POST /v2/${kind}/{id}/execute`, { code: '1' }],
    [`POST /v2/${kind}/{id}/extend`, { ttl: 3_600 }],
    [`POST /v2/${kind}/{id}/files`, {}],
    [`POST /v2/${kind}/{id}/cdp/{secret}/files`, {}],
    [`GET /v2/${kind}/{id}/downloads`],
    [`GET /v2/${kind}/{id}/downloads/{name}`],
    [`GET /v2/${kind}/{id}/replay`],
    [`DELETE /v2/${kind}/profiles/{name}`],
  ]),
  ['GET /v2/webhooks/deliveries/{id}'],
  ['POST /v2/webhooks/deliveries/{id}/redeliver', {}],
  ['GET /v2/files/{token}'],
  ['PUT /v2/parse/upload/{token}', {}],
  ['GET /v2/monitor/feed/{token}'],
  ['GET /v2/monitor/email/{token}'],
  ['POST /v2/monitor/email/{token}', {}],
];

const ids: Attack = {
  name: 'ids',
  aim: 'ids of the other team, and ids that no job has',
  async run(attacker) {
    await attacker.repeat(LANES, async (turn) => {
      const id = [attacker.around.other.scrapeId, ID, '../../admin', '\0', 'x'.repeat(7_000)][turn % 5]!;
      for (const [operation, json] of ON_IDS) {
        const path = { id, name: id, snapshotId: id, token: id, secret: id };
        const { status } = await attacker.call(operation, { path, ...(json !== undefined && { json }) });
        const isDone = status < 400 && status > 0 && !operation.startsWith('DELETE');
        attacker.attempt(`${operation} of another team was answered by ${status}`, !isDone);
        if (attacker.isOver && turn > 0) return;
      }
    });
  },
};

const account: Attack = {
  name: 'account',
  aim: 'lists of the account, at their extremes',
  async run(attacker) {
    const queries: [string, string?][] = [
      ['GET /v2/team/credit-usage'],
      ['GET /v2/team/token-usage'],
      ['GET /v2/team/credit-usage/historical', 'byApiKey=true'],
      ['GET /v2/team/token-usage/historical', 'byApiKey=true'],
      ['GET /v2/team/queue-status'],
      ['GET /v2/team/page-usage'],
      ['GET /v2/team/limits'],
      ['GET /v2/parse/formats'],
      ['GET /v2/concurrency-check'],
      ['GET /v2/jobs', 'limit=100'],
      ['GET /v2/team/keys'],
      ['GET /v2/team/model-usage', 'timeRange=hour&byApiKey=true'],
      ['GET /v2/browser/profiles'],
      ['GET /v2/interact/profiles'],
      ['GET /v2/team/activity', 'limit=100'],
      ['GET /v2/team/activity', `cursor=${'A'.repeat(5_000)}`],
      ['GET /v2/webhooks/deliveries', 'limit=1000000000'],
      ['GET /v2/crawl/active'],
      ['GET /v2/crawl/ongoing'],
      ['GET /v2/browser', 'status=active'],
      ['GET /v2/interact'],
      ['GET /v2/agent', 'before=8640000000000000'],
    ];
    await attacker.repeat(LANES * 4, async (turn) => {
      for (const [operation, query] of queries) {
        await attacker.call(operation, query === undefined ? {} : { query });
        if (attacker.isOver && turn > 0) return;
      }
    });
  },
};

/** The operations of the operator, which no key of a team opens. */
const OPERATOR_OPERATIONS: [operation: string, json?: unknown][] = [
  ['GET /admin/health'],
  ['GET /admin/teams'],
  ['POST /admin/teams', { name: 'attacker' }],
  ['GET /admin/teams/{name}'],
  ['PATCH /admin/teams/{name}', { credits: 1_000_000 }],
  ['GET /admin/teams/{name}/keys'],
  ['POST /admin/teams/{name}/keys', { name: 'x' }],
  ['DELETE /admin/teams/{name}/keys/{key}'],
];

const operator: Attack = {
  name: 'operator',
  aim: 'routes of the operator by the key of a team, and guesses of his key',
  async run(attacker) {
    await attacker.repeat(LANES, async (turn) => {
      for (const [operation, json] of OPERATOR_OPERATIONS) {
        const path = { name: 'default', key: ID };
        const guess = `wn-admin-${turn}${'x'.repeat(turn % 7_000)}`;
        for (const key of [attacker.key, guess]) {
          const headers = { Authorization: `Bearer ${key}` };
          const { status } = await attacker.call(operation, { path, json, headers });
          const success = `${operation} was answered by ${status} without the key of the operator`;
          attacker.attempt(success, status >= 400 || status === 0);
        }
      }
    });
  },
};

/**
 * Headers and paths by which a browser of somebody else would be led to the API, or a page be filled with
 * code.
 */
const doors: Attack = {
  name: 'doors',
  aim: 'foreign hosts and origins, and code in paths of pages',
  async run(attacker) {
    const code = encodeURIComponent('"><script>alert(1)</script>');
    await attacker.repeat(LANES, async (turn) => {
      const answer = await attacker.call('GET /v2/team/credit-usage', {
        headers: { Origin: 'https://evil.test', 'X-Forwarded-Host': 'evil.test', Cookie: 'a=1;'.repeat(500) },
      });
      if (answer.status === 0) return;
      for (const path of [
        `/docs/guides/${code}`,
        `/docs/guides/../../${code}`,
        `/live/${code}`,
        `/${code}`,
      ]) {
        const response = await fetch(`${attacker.origin}${path}?q=${code}&${turn}`);
        const text = await response.text();
        const { headers } = response;
        const isPage = /html/.test(headers.get('content-type') ?? '');
        attacker.attempt(`${path} contains code from its URL`, !isPage || !text.includes('<script>alert(1)'));
        const isProtected =
          headers.get('x-content-type-options') === 'nosniff' && headers.has('content-security-policy');
        attacker.attempt(`${path} may be framed, or run as what it is not`, isProtected);
      }
    });
  },
};

export const REQUEST_ATTACKS: Attack[] = [lists, nesting, schemas, ids, account, operator, doors];
