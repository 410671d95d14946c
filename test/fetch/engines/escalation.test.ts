import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../src/content/snapshot.ts';
import { priceOf } from '../../../src/credits.ts';
import { type ErrorCode, ServiceError } from '../../../src/errors.ts';
import { type Engine, type PageRequest, PLAIN_PAGE } from '../../../src/fetch/engines/engine.ts';
import { Escalation, type EscalationDeps, type FetchOptions } from '../../../src/fetch/engines/escalation.ts';
import { withCredits } from '../../support/fetch/extra-credits.ts';

/**
 * The behaviour of an engine when it is called: a status, a page, an error, or no response until it is
 * aborted.
 */
type Act = number | keyof typeof TEXTS | 'never' | ErrorCode | Error;

const TEXTS = {
  page: `<main><h1>The page</h1><p>${'All that is to be read. '.repeat(60)}</p></main>`,
  shell: '<div id="root"></div><script src="/app.js"></script>',
  playing: `<audio src="/a.mp3"></audio><p>${'All that is to be read. '.repeat(60)}</p>`,
  challenge: '<title>Just a moment...</title><script>window._cf_chl_opt = {};</script>',
  /** The same with the status of a page. */
  disguised: '<title>Just a moment...</title><script>window._cf_chl_opt = {};</script>',
  suspect: '<h1>Downloads</h1><p>Prove you are human.</p><form><div class="g-recaptcha"></div></form>',
};

interface Play {
  http?: Act[];
  browser?: Act[];
  request?: Partial<PageRequest>;
  fastMode?: boolean;
  proxy?: FetchOptions['proxy'];
  /** Countries of the enhanced proxies; absent: there are none. */
  enhanced?: string[];
  headStartMs?: number;
  signal?: AbortSignal;
  /** Filled with the attempts in the browser whose last request the caller is told of. */
  watched?: string[];
  /** The credits that the page may cost beyond its expected price. */
  credits?: number;
}

/** Runs one order with engines that act in turn; tells what was done in which order. */
async function play(options: Play) {
  const log: string[] = [];
  const aborted: string[] = [];

  function engine(name: Snapshot['engine'], acts: Act[]): Engine {
    return {
      async fetchPage(request, signal) {
        const who = `${name} ${request.proxy}`;
        log.push(who);
        if (name === 'browser' && request.onRequestsEnded) options.watched?.push(who);
        const act = acts.shift();
        if (act === undefined) throw new Error(`${who} was not to be asked`);
        if (act === 'never') {
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          aborted.push(who);
          throw signal.reason;
        }
        if (act instanceof Error) throw act;
        const isText = typeof act === 'string' && act in TEXTS;
        if (typeof act === 'string' && !isText) throw new ServiceError(act as ErrorCode, `${who} failed`);
        const { sourceUrl, url, proxy } = request;
        return {
          sourceUrl,
          url,
          proxy,
          engine: name,
          contentType: 'text/html',
          kind: 'html',
          fetchedAt: 0,
          files: {},
          statusCode: typeof act === 'number' ? act : act === 'challenge' ? 403 : 200,
          text: isText ? TEXTS[act as keyof typeof TEXTS] : TEXTS.page,
        } satisfies Snapshot;
      },
    };
  }

  const proxies: EscalationDeps['proxies'] = {
    offers: (proxy) => proxy === 'enhanced' && options.enhanced !== undefined,
    isElsewhere: ({ proxy, country }) =>
      country !== undefined && proxy === 'enhanced' && options.enhanced?.includes(country) === false,
  };
  const escalation = new Escalation({
    http: engine('http', [...(options.http ?? [])]),
    browser: engine('browser', [...(options.browser ?? [])]),
    proxies,
    headStartMs: options.headStartMs ?? 60_000,
  });
  const request = { sourceUrl: 'site.test', url: 'http://site.test/', ...PLAIN_PAGE, ...options.request };
  const order = {
    request,
    fastMode: options.fastMode ?? false,
    proxy: options.proxy ?? 'auto',
    extraCredits: withCredits(options.credits),
  };
  const outcome = await escalation.fetchPage(order, options.signal ?? new AbortController().signal).then(
    (page) => ({
      result: `${page.statusCode} ${page.engine} ${page.proxy}`,
      warnings: page.warnings,
      challenge: page.challenge,
      credits: priceOf({ lockdown: false }, { snapshot: page, cacheState: 'miss' }),
    }),
    (error) => ({
      result: error.code ?? error.message,
      warnings: undefined,
      challenge: undefined,
      credits: 0,
    }),
  );
  // An aborted engine reports this after the response.
  await new Promise((resolve) => setImmediate(resolve));
  return { ...outcome, log: log.join(', '), aborted };
}

const collect = { screenshot: async () => ({ bytes: new Uint8Array(), mediaType: 'image/png' }) };

describe('by the rules for engines,', () => {
  it.each<[string, Play, log: string, result: string]>([
    [
      'a screenshot needs the browser alone',
      { browser: ['page'], request: { collect } },
      'browser basic',
      '200 browser basic',
    ],
    [
      'waitFor needs the browser alone',
      { browser: ['shell'], request: { waitForMs: 1 } },
      'browser basic',
      '200 browser basic',
    ],
    [
      'mobile needs the browser alone, also for a missing page',
      { browser: [404], request: { mobile: true } },
      'browser basic',
      '404 browser basic',
    ],
    [
      'actions need the browser alone',
      { browser: ['page'], request: { actions: [{ type: 'wait', milliseconds: 1 }] } },
      'browser basic',
      '200 browser basic',
    ],
    [
      'mobile needs the browser in spite of fastMode',
      { browser: ['page'], request: { mobile: true }, fastMode: true },
      'browser basic',
      '200 browser basic',
    ],
    [
      'a file that the browser cannot open is read by the plain fetch',
      { browser: ['SCRAPE_UNSUPPORTED_FILE_ERROR'], http: ['page'], request: { waitForMs: 1 } },
      'browser basic, http basic',
      '200 http basic',
    ],
    [
      'a file of which a screenshot is wanted is read by the plain fetch',
      { browser: ['SCRAPE_UNSUPPORTED_FILE_ERROR'], http: ['page'], request: { collect } },
      'browser basic, http basic',
      '200 http basic',
    ],
    [
      'a page that needs the browser fails with the browser',
      { browser: ['SCRAPE_SITE_ERROR'], request: { mobile: true } },
      'browser basic',
      'SCRAPE_SITE_ERROR',
    ],
    [
      'a shell of the plain fetch is returned in fastMode',
      { http: ['shell'], fastMode: true },
      'http basic',
      '200 http basic',
    ],
    [
      'a failure of the plain fetch ends the scrape in fastMode',
      { http: ['SCRAPE_SITE_ERROR'], fastMode: true },
      'http basic',
      'SCRAPE_SITE_ERROR',
    ],
    ['a page of the plain fetch is returned', { http: ['page'] }, 'http basic', '200 http basic'],
    ['a missing page of the plain fetch is returned', { http: [404] }, 'http basic', '404 http basic'],
    [
      'the plain response of a server that fails is returned',
      { http: [500] },
      'http basic',
      '500 http basic',
    ],
    ...(
      [
        'SCRAPE_DNS_RESOLUTION_ERROR',
        'SCRAPE_SSL_ERROR',
        'SCRAPE_CONTENT_TOO_LARGE',
        'unsafe_domain_blocked',
        'SCRAPE_PROXY_SELECTION_ERROR',
        'SCRAPE_ALL_ENGINES_FAILED',
        'SCRAPE_UNSUPPORTED_FILE_ERROR',
      ] as const
    ).map((code): [string, Play, string, string] => [
      `${code} of the plain fetch ends the scrape`,
      { http: [code] },
      'http basic',
      code,
    ]),
    [
      'an internal error of the plain fetch ends the scrape',
      { http: [new Error('bug')] },
      'http basic',
      'bug',
    ],
    [
      'a page with media is returned where media are wanted',
      { http: ['playing'], request: { media: true } },
      'http basic',
      '200 http basic',
    ],
    [
      'a page without media is opened in the browser where media are wanted',
      { http: ['page'], browser: ['page'], request: { media: true } },
      'http basic, browser basic',
      '200 browser basic',
    ],
    [
      'a shell is opened in the browser',
      { http: ['shell'], browser: ['page'] },
      'http basic, browser basic',
      '200 browser basic',
    ],
    [
      'a site that does not respond to the plain fetch is opened in the browser',
      { http: ['SCRAPE_SITE_ERROR'], browser: ['page'] },
      'http basic, browser basic',
      '200 browser basic',
    ],
    ...[401, 403, 406, 429, 503].map((status): [string, Play, string, string] => [
      `a response with status ${status} is opened in the browser`,
      { http: [status], browser: ['page'] },
      'http basic, browser basic',
      '200 browser basic',
    ]),
    [
      'a challenge is opened in the browser',
      { http: ['challenge'], browser: ['page'] },
      'http basic, browser basic',
      '200 browser basic',
    ],
    [
      'a refusal of both engines is returned as the browser got it',
      { http: [403], browser: [403] },
      'http basic, browser basic',
      '403 browser basic',
    ],
    [
      'a shell is returned where the browser is refused',
      { http: ['shell'], browser: [403] },
      'http basic, browser basic',
      '200 http basic',
    ],
    [
      'a shell is returned where the browser gets a challenge',
      { http: ['shell'], browser: ['challenge'] },
      'http basic, browser basic',
      '200 http basic',
    ],
    [
      'a shell is returned where the browser fails',
      { http: ['shell'], browser: ['SCRAPE_SITE_ERROR'] },
      'http basic, browser basic',
      '200 http basic',
    ],
    [
      'a browser that is lost after a shell ends the scrape',
      { http: ['shell'], browser: ['WORKER_LOST'] },
      'http basic, browser basic',
      'WORKER_LOST',
    ],
    [
      'an internal error after a shell ends the scrape',
      { http: ['shell'], browser: [new Error('bug')] },
      'http basic, browser basic',
      'bug',
    ],
    [
      'a DNS server that fails is asked again for the browser',
      { http: ['SCRAPE_DNS_SERVER_ERROR'], browser: ['page'] },
      'http basic, browser basic',
      '200 browser basic',
    ],
    [
      'the first of two failures ends the scrape',
      { http: ['SCRAPE_SITE_ERROR'], browser: ['SCRAPE_SSL_ERROR'] },
      'http basic, browser basic',
      'SCRAPE_SITE_ERROR',
    ],
  ])('%s', async (_name, options, log, result) => {
    expect(await play(options)).toMatchObject({ log, result });
  });

  it('formats that a file cannot have are reported, and actions on it fail', async () => {
    const file: Act = 'SCRAPE_UNSUPPORTED_FILE_ERROR';
    const pictured = await play({ browser: [file], http: ['page'], request: { collect } });
    expect(pictured.warnings).toEqual([expect.stringContaining('there is no screenshot of it')]);
    const wait = { type: 'wait' as const, milliseconds: 1 };
    expect(await play({ browser: [file], request: { actions: [wait] } })).toMatchObject({
      result: 'SCRAPE_ACTION_ERROR',
      log: 'browser basic',
    });
  });
});

describe('the last request to a host', () => {
  it.each<[string, Play, string[]]>([
    ['is known of the only attempt', { http: ['shell'], browser: ['page'] }, ['browser basic']],
    [
      'is not known while a plain fetch is open beside the browser',
      { http: ['never'], browser: ['page'], headStartMs: 10 },
      [],
    ],
    [
      'is known only of the second attempt if a blocked page is tried again',
      { http: ['challenge', 'shell'], browser: ['challenge', 'page'], enhanced: [] },
      ['browser enhanced'],
    ],
  ])('%s', async (_what, acts, expected) => {
    const watched: string[] = [];
    await play({ ...acts, watched, request: { onRequestsEnded: () => undefined } });
    expect(watched).toEqual(expected);
  });
});

describe('a slow plain fetch', () => {
  it('is aborted when the browser is faster', async () => {
    expect(await play({ http: ['never'], browser: ['page'], headStartMs: 1 })).toMatchObject({
      log: 'http basic, browser basic',
      result: '200 browser basic',
      aborted: ['http basic'],
    });
  });

  it('ends the browser when it responds first', async () => {
    const { promise: coming, reject: answer } = Promise.withResolvers<never>();
    const ended: string[] = [];
    const escalation = new Escalation({
      http: { fetchPage: () => coming },
      browser: {
        async fetchPage(_request, signal) {
          answer(new ServiceError('SCRAPE_DNS_RESOLUTION_ERROR', 'no such name'));
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          ended.push('browser');
          throw signal.reason;
        },
      },
      proxies: { offers: () => false, isElsewhere: () => false },
      headStartMs: 1,
    });
    const request = { sourceUrl: '', url: 'http://site.test/', ...PLAIN_PAGE };
    const order: FetchOptions = { request, fastMode: false, proxy: 'auto' };
    await expect(escalation.fetchPage(order, new AbortController().signal)).rejects.toMatchObject({
      code: 'SCRAPE_DNS_RESOLUTION_ERROR',
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toEqual(['browser']);
  });

  it('is awaited when the browser fails', async () => {
    const deadline = AbortSignal.timeout(300);
    const { result, aborted } = await play({
      http: ['never'],
      browser: ['SCRAPE_SITE_ERROR'],
      headStartMs: 1,
      signal: deadline,
    });
    expect(result).toBe((deadline.reason as DOMException).code);
    expect(aborted).toEqual(['http basic']);
  });

  it('and a slow browser end together at the deadline', async () => {
    const stop = new AbortController();
    const waiting = play({ http: ['never'], browser: ['never'], headStartMs: 1, signal: stop.signal });
    setTimeout(() => stop.abort(new ServiceError('SCRAPE_TIMEOUT', 'late')), 50);
    expect(await waiting).toMatchObject({
      result: 'SCRAPE_TIMEOUT',
      aborted: ['http basic', 'browser basic'],
    });
  });
});

describe('enhanced proxies', () => {
  const walls: Play = { http: [403, 'page'], browser: [403] };

  it.each<[string, Play, log: string, result: string, credits: number]>([
    [
      'are not asked where the basic ones were let in',
      { http: ['page'], enhanced: ['US'] },
      'http basic',
      '200 http basic',
      1,
    ],
    [
      'are asked after a refusal',
      { ...walls, enhanced: ['US'] },
      'http basic, browser basic, http enhanced',
      '200 http enhanced',
      5,
    ],
    [
      'are asked by a team that can just pay for one',
      { ...walls, enhanced: ['US'], credits: 4 },
      'http basic, browser basic, http enhanced',
      '200 http enhanced',
      5,
    ],
    [
      'are asked after too many requests',
      { http: [429, 'page'], browser: [429], enhanced: ['US'] },
      'http basic, browser basic, http enhanced',
      '200 http enhanced',
      5,
    ],
    [
      'are asked after a challenge',
      { http: ['challenge', 'challenge'], browser: ['challenge', 'page'], enhanced: ['US'] },
      'http basic, browser basic, http enhanced, browser enhanced',
      '200 browser enhanced',
      5,
    ],
    [
      'are asked for an open page too',
      { browser: [401, 'page'], request: { collect }, enhanced: ['US'] },
      'browser basic, browser enhanced',
      '200 browser enhanced',
      5,
    ],
    [
      'are asked in fastMode too',
      { http: [403, 'page'], fastMode: true, enhanced: ['US'] },
      'http basic, http enhanced',
      '200 http enhanced',
      5,
    ],
    [
      'are not asked after 503',
      { http: [503], browser: [503], enhanced: ['US'] },
      'http basic, browser basic',
      '503 browser basic',
      1,
    ],
    [
      'are not asked where the request says basic',
      { http: [403], browser: [403], proxy: 'basic', enhanced: ['US'] },
      'http basic, browser basic',
      '403 browser basic',
      1,
    ],
    [
      'are not asked where there are none',
      { http: [403], browser: [403] },
      'http basic, browser basic',
      '403 browser basic',
      1,
    ],
    [
      'are the first where they are asked for',
      { http: ['page'], proxy: 'enhanced', enhanced: ['US'] },
      'http enhanced',
      '200 http enhanced',
      5,
    ],
    [
      'are the first by their old name',
      { http: ['shell'], browser: ['page'], proxy: 'stealth', enhanced: ['US'] },
      'http enhanced, browser enhanced',
      '200 browser enhanced',
      5,
    ],
    [
      'are asked once only',
      { http: [403], browser: [403], proxy: 'enhanced', enhanced: ['US'] },
      'http enhanced, browser enhanced',
      '403 browser enhanced',
      5,
    ],
    [
      'are asked after a challenge with the status of a page',
      { http: ['disguised', 'page'], browser: ['disguised'], enhanced: ['US'] },
      'http basic, browser basic, http enhanced',
      '200 http enhanced',
      5,
    ],
  ])('%s', async (_name, options, log, result, credits) => {
    const outcome = { log, result, credits, warnings: undefined, challenge: undefined, aborted: [] };
    expect(await play(options)).toEqual(outcome);
  });

  it('are not asked by a team that cannot pay for one, which a warning says', async () => {
    expect(await play({ ...walls, enhanced: ['US'], credits: 3 })).toMatchObject({
      log: 'http basic, browser basic',
      result: '403 browser basic',
      credits: 1,
      warnings: [expect.stringContaining('the team has too few credits for one')],
    });
  });

  it.each<[string, Play]>([
    ['were refused too', { http: [403, 403], browser: [403, 403], enhanced: ['US'] }],
    ['failed', { http: [403, 'SCRAPE_ALL_ENGINES_FAILED'], browser: [403], enhanced: ['US'] }],
  ])('that %s cost nothing, and a warning says so', async (_name, options) => {
    const { result, credits, warnings } = await play(options);
    expect({ result, credits }).toEqual({ result: '403 browser basic', credits: 1 });
    expect(warnings).toEqual([expect.stringContaining('enhanced proxies too')]);
  });

  it.each<[string, Play]>([
    ['asked for', { http: ['page'], proxy: 'enhanced' }],
    ['needed', { http: [403, 'page'], browser: [403] }],
  ])(
    'elsewhere are taken where they are %s and none is in the country, with a warning',
    async (_name, options) => {
      const request = { location: { country: 'de' } };
      expect(await play({ ...options, request, enhanced: ['US'] })).toMatchObject({
        result: '200 http enhanced',
        warnings: ['There is no enhanced proxy in DE: the page was fetched through one elsewhere.'],
      });
      expect(
        await play({ ...options, request: { location: { country: 'US' } }, enhanced: ['US'] }),
      ).toMatchObject({
        result: '200 http enhanced',
        warnings: undefined,
      });
    },
  );

  it.each(['enhanced', 'stealth'] as const)(
    'are replaced by basic ones, with a warning, if the service lacks them: %s',
    async (proxy) => {
      expect(await play({ http: ['page'], proxy })).toMatchObject({
        result: '200 http basic',
        credits: 1,
        warnings: [expect.stringContaining('no enhanced proxies')],
      });
    },
  );
});

describe('a challenge with a success status', () => {
  it.each<[string, Play, log: string]>([
    ['both engines', { http: ['disguised'], browser: ['disguised'] }, 'http basic, browser basic'],
    [
      'the only engine that can open the page',
      { browser: ['disguised'], request: { collect } },
      'browser basic',
    ],
    [
      'the one engine that answered',
      { http: ['disguised'], browser: ['SCRAPE_SITE_ERROR'] },
      'http basic, browser basic',
    ],
    [
      'both engines, and the only proxies there are',
      { http: ['disguised'], browser: ['disguised'], proxy: 'basic' },
      'http basic, browser basic',
    ],
    [
      'both engines by all proxies',
      { http: ['disguised', 'disguised'], browser: ['disguised', 'disguised'], enhanced: ['US'] },
      'http basic, browser basic, http enhanced, browser enhanced',
    ],
    [
      'both engines, and the enhanced proxies do not work',
      { http: ['disguised', 'SCRAPE_ALL_ENGINES_FAILED'], browser: ['disguised'], enhanced: ['US'] },
      'http basic, browser basic, http enhanced',
    ],
    [
      'both engines by the proxies that were asked for',
      { http: ['disguised'], browser: ['disguised'], proxy: 'enhanced', enhanced: ['US'] },
      'http enhanced, browser enhanced',
    ],
  ])('fails the scrape and costs nothing when it met %s', async (_name, options, log) => {
    expect(await play(options)).toMatchObject({ result: 'SCRAPE_ALL_ENGINES_FAILED', log, credits: 0 });
  });

  it.each<[string, Play, advice: RegExp]>([
    ['fastMode', { http: ['disguised'], fastMode: true }, /Leave fastMode out/],
    [
      'the proxy basic',
      { http: ['disguised'], browser: ['disguised'], proxy: 'basic', enhanced: ['US'] },
      /Set proxy to "auto"/,
    ],
  ])('is given with a warning where %s kept from trying more', async (_name, options, advice) => {
    expect(await play(options)).toMatchObject({
      result: expect.stringMatching(/^200 \w+ basic$/),
      challenge: { maker: 'cloudflare', isCertain: true },
      warnings: [expect.stringMatching(advice)],
    });
  });

  it('is returned with a warning when it may not be one', async () => {
    expect(await play({ http: ['suspect'], browser: ['suspect'] })).toMatchObject({
      result: '200 browser basic',
      challenge: { maker: 'captcha', isCertain: false },
      warnings: [expect.stringContaining('may have responded with a captcha')],
    });
  });

  it('in the browser leaves the page of the plain fetch, with a warning that its scripts were not run', async () => {
    expect(await play({ http: ['shell'], browser: ['disguised'] })).toMatchObject({
      result: '200 http basic',
      challenge: undefined,
      warnings: [expect.stringContaining('without running its scripts')],
    });
  });
});

it('a challenge with an error status is returned and named', async () => {
  expect(await play({ http: ['challenge'], browser: ['challenge'] })).toMatchObject({
    result: '403 browser basic',
    challenge: { maker: 'cloudflare' },
    warnings: [expect.stringContaining('a challenge by cloudflare')],
  });
});

it('each extra costs its credits once, and only where it had a result', () => {
  const price = (made: string[], request = {}) =>
    priceOf({ lockdown: false, ...request }, { snapshot: { proxy: 'basic' }, cacheState: 'hit', made });
  expect(price([])).toBe(1);
  expect(price(['markdown', 'summary', 'product', 'menu'])).toBe(1);
  expect(price(['json'])).toBe(5);
  expect(price(['json', 'json'])).toBe(5);
  expect(price(['deterministicJson'])).toBe(3);
  expect(price(['question', 'highlights'])).toBe(9);
  expect(price(['json'], { zeroDataRetention: true })).toBe(6);
  expect(price(['json'], { lockdown: true })).toBe(9);
});

it('a copy from the cache costs the same whatever proxies fetched it', () => {
  const snapshot = { proxy: 'enhanced' as const };
  expect(priceOf({ lockdown: false }, { snapshot, cacheState: 'hit' })).toBe(1);
  expect(priceOf({ lockdown: false }, { snapshot, cacheState: undefined })).toBe(5);
  expect(priceOf({ lockdown: true }, { snapshot, cacheState: 'hit' })).toBe(5);
});
