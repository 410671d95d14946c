import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { finished, startJob } from '../support/api/jobs.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { makeTeam, type TestTeam, useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { payloadsOf } from '../support/workflows/histories.ts';
import { useTemporal } from '../support/workflows/use-temporal.ts';

/** Searches of the pages that a team has received, and feedback on them. */

const db = useDatabase();
const temporal = useTemporal();
let site: Pages;
let team: TestTeam;

const page = (title: string, text: string) =>
  `<!DOCTYPE html><title>${title}</title><main><h1>${title}</h1><p>${text}</p></main>`;

beforeAll(async () => {
  site = await startPages({
    '/lamps': page(
      'Lamps of glass',
      'The lighthouse keeper polished his fresnel lens. Every lamp is blown by hand.',
    ),
    '/chairs': page('Chairs of wood', 'A carpenter from Trondheim makes every chair. He also repairs lamps.'),
    '/stools': page('Stools', 'Stools without backs are made by the same carpenter.'),
    '/secret': page('Secret', 'The zanzibarite formula is hidden here.'),
    '/japanese': page('灯台', '灯台守は毎晩レンズを磨いていました。東京の港は静かでした。'),
    '/gone': (_request, response) =>
      response.writeHead(404, { 'Content-Type': 'text/html' }).end(page('Gone', 'zanzibarite')),
  });
  team = await makeTeam(db, { zeroDataRetention: true });
  const urls = ['/lamps', '/chairs', '/stools', '/japanese'].map((path) => `${site.url}${path}`);
  const id = await startJob('/v2/batch/scrape', { urls }, team);
  await finished('/v2/batch/scrape', id, team);
});
afterAll(() => site[Symbol.asyncDispose]());

const search = (body: Record<string, unknown>, { key } = team) => call('/v2/search', { body, key });
const scrape = (body: Record<string, unknown>) => call('/v2/scrape', { body, key: team.key });
/** The paths of the results of a query. */
async function pathsOf(query: string, options: Record<string, unknown> = {}, of = team): Promise<string[]> {
  const { body } = await search({ query, ...options }, of);
  return body.data.web.map(({ url }: { url: string }) => url.slice(site.url.length));
}

describe('a search of own pages', () => {
  it('finds pages by their words, describes them by the part that fits, and bills two credits', async () => {
    const { status, body } = await search({
      query: 'Who polished the fresnel lens?',
      origin: 'js-sdk@4.42.0',
      integration: null,
    });
    expect([status, body.success, body.creditsUsed]).toEqual([200, true, 2]);
    expect(body.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(Object.keys(body.data)).toEqual(['web']);
    expect(body.data.web[0]).toEqual({
      url: `${site.url}/lamps`,
      title: 'Lamps of glass',
      description: expect.stringContaining('polished his fresnel lens'),
      position: 1,
    });
    expect(body.warning).toContain('pages that your team has scraped before');
    const { body: activity } = await call('/v2/team/activity?endpoint=search', { key: team.key });
    expect(
      activity.data.map(({ id, target }: { id: string; target: string }) => [id, target]),
    ).toContainEqual([body.id, 'Who polished the fresnel lens?']);
  });

  it('puts pages with the words in their title first, and knows singular and plural', async () => {
    expect(await pathsOf('lamp')).toEqual(['/lamps', '/chairs']);
    expect((await pathsOf('stool'))[0]).toBe('/stools');
  });

  it('finds words of languages without spaces', async () => {
    expect(await pathsOf('レンズを磨く')).toEqual(['/japanese']);
    expect(await pathsOf('東京')).toEqual(['/japanese']);
  });

  it('returns nothing of other teams, and bills nothing for it', async () => {
    const other = await makeTeam(db);
    const { body } = await search({ query: 'fresnel lens' }, other);
    expect([body.data, body.creditsUsed]).toEqual([{ web: [] }, 0]);
  });

  it('never finds pages that were not to be stored, nor errors', async () => {
    const url = `${site.url}/secret`;
    await scrape({ url, storeInCache: false });
    await scrape({ url, headers: { 'X-Test': '1' } });
    await scrape({ url, zeroDataRetention: true });
    await scrape({ url, profile: { name: 'search' } });
    await scrape({ url: `${site.url}/gone` });
    expect(await pathsOf('zanzibarite')).toEqual([]);
    await scrape({ url, maxAge: 0 });
    expect(await pathsOf('zanzibarite')).toEqual(['/secret']);
    await scrape({ url, lockdown: true });
    expect(await pathsOf('zanzibarite')).toEqual(['/secret']);
  });

  it('is limited to hosts, or leaves them out', async () => {
    expect(await pathsOf('carpenter', { includeDomains: ['127.0.0.1'] })).toHaveLength(2);
    expect(await pathsOf('carpenter', { includeDomains: ['example.com'] })).toEqual([]);
    expect(await pathsOf('carpenter', { excludeDomains: ['127.0.0.1'] })).toEqual([]);
    expect(await pathsOf('carpenter', { categories: ['github'] })).toEqual([]);
    expect(await pathsOf('carpenter', { limit: 1 })).toHaveLength(1);
  });

  it('has no images and news, and says so', async () => {
    const { body } = await search({
      query: 'carpenter',
      sources: ['images', { type: 'news', tbs: 'qdr:d' }, 'web'],
    });
    expect([body.data.images, body.data.news]).toEqual([[], []]);
    expect(body.data.web).toHaveLength(2);
    expect(body.warning).toContain('It has no images and news.');
  });

  it('describes pages as they do themselves without highlights', async () => {
    const { body } = await search({ query: 'carpenter repairs', highlights: false });
    expect(body.data.web[0].description).toMatch(/^Chairs of wood/);
  });
});

describe('a search that scrapes its results', () => {
  it('adds the documents, and bills them', async () => {
    const { body } = await search({ query: 'carpenter', scrapeOptions: { formats: ['markdown', 'links'] } });
    expect(body.data.web).toHaveLength(2);
    for (const result of body.data.web) {
      expect(result).toMatchObject({
        position: expect.any(Number),
        links: [],
        metadata: { statusCode: 200 },
      });
      expect(result.markdown).toContain('carpenter');
      expect(result.url).toBe(result.metadata.sourceURL);
    }
    expect(body.creditsUsed).toBe(4);
    const { body: activity } = await call('/v2/team/activity?limit=100', { key: team.key });
    const listed = activity.data.map(({ id }: { id: string }) => id);
    expect(listed).toContain(body.id);
    expect(listed).not.toContain(body.data.web[0].metadata.scrapeId);
  });

  it('keeps results whose pages fail', async () => {
    const { body } = await search({
      query: 'carpenter',
      scrapeOptions: { formats: ['markdown'], minAge: 300_000_000 },
    });
    expect(body.data.web.map((each: Record<string, unknown>) => Object.keys(each).sort())).toEqual(
      Array(2).fill(['description', 'position', 'title', 'url']),
    );
    expect(body.warning).toContain('SCRAPE_NO_CACHED_DATA 2');
    expect(body.creditsUsed).toBe(2);
  });

  it('returns the ids of scrapes that continue', async () => {
    const { body } = await search({
      query: 'carpenter',
      asyncScraping: true,
      scrapeOptions: { formats: ['markdown'] },
    });
    expect(body.scrapeIds.web).toHaveLength(2);
    for (const id of body.scrapeIds.web) {
      const done = await pollUntil(async () => {
        const { body: state } = await call(`/v2/scrape/${id}`, { key: team.key });
        return state.status === 'completed' && state;
      });
      expect(done.data.markdown).toContain('carpenter');
    }
  });

  it('scrapes only as many as the team has credits for', async () => {
    const poor = await makeTeam(db, { credits: 5 });
    for (const path of ['/chairs', '/stools'])
      await call('/v2/scrape', { body: { url: `${site.url}${path}` }, key: poor.key });
    const { body } = await search({ query: 'carpenter', scrapeOptions: { formats: ['markdown'] } }, poor);
    expect(body.data.web.filter((each: { markdown?: string }) => each.markdown)).toHaveLength(1);
    expect(body.warning).toContain('1 results were not scraped');
    expect((await search({ query: 'carpenter' }, poor)).status).toBe(402);
  });

  it('says how many results were not scraped if the team has credits for none of them', async () => {
    const poor = await makeTeam(db, { credits: 4 });
    for (const path of ['/chairs', '/stools'])
      await call('/v2/scrape', { body: { url: `${site.url}${path}` }, key: poor.key });
    const { body } = await search({ query: 'carpenter', scrapeOptions: { formats: ['markdown'] } }, poor);
    expect(body.data.web).toHaveLength(2);
    expect(body.warning).toContain('2 results were not scraped, because the team has too few credits left.');
  });

  it('spends no credits that another search spends at the same moment', async () => {
    const poor = await makeTeam(db, { credits: 8 });
    for (const path of ['/chairs', '/stools'])
      await call('/v2/scrape', { body: { url: `${site.url}${path}` }, key: poor.key });
    const body = { query: 'carpenter', scrapeOptions: { formats: ['markdown'] } };
    const answers = await Promise.all([search(body, poor), search(body, poor)]);
    const scraped = answers.flatMap((answer) =>
      answer.body.data.web.filter(({ markdown }: { markdown?: string }) => markdown),
    );
    expect(scraped).toHaveLength(2);
    const usage = await call('/v2/team/credit-usage', { key: poor.key });
    expect(usage.body.data.remainingCredits).toBe(0);
  });
});

it('shows nothing of the words of a search in Temporal', async () => {
  const query = 'fresnel lens of a lighthouse';
  const { body } = await search({ query });
  const handle = temporal.workflow(`search/${body.id}`);
  const [history, description] = [await handle.fetchHistory(), await handle.describe()];
  const texts = [await description.staticSummary(), await description.staticDetails()];
  const shown = [...payloadsOf(history), ...texts].join('\n');
  expect(shown).toContain(body.id);
  expect(shown).not.toMatch(/fresnel|lighthouse/);
  const attributes = description.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]);
  expect(Object.fromEntries(attributes)).toMatchObject({ JobKind: 'search', TeamId: team.id });
});

describe('feedback on a search', () => {
  const rate = (id: string, body: Record<string, unknown>, key = team.key) =>
    call(`/v2/search/${id}/feedback`, { body, key });
  const GOOD = { rating: 'good', valuableSources: [{ url: 'https://example.com/', reason: 'fits' }] };

  it('gives one credit back, once', async () => {
    const limited = await makeTeam(db, { credits: 100 });
    await call('/v2/scrape', { body: { url: `${site.url}/lamps` }, key: limited.key });
    const { body: found } = await search({ query: 'fresnel lens' }, limited);
    const { status, body } = await rate(found.id, GOOD, limited.key);
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        feedbackId: expect.any(String),
        creditsRefunded: 1,
        creditsRefundedToday: 1,
        dailyRefundCap: 100,
      },
    ]);
    const again = await call('/v2/feedback', {
      body: { endpoint: 'search', jobId: found.id, rating: 'bad', querySuggestions: 'lighthouse' },
      key: limited.key,
    });
    expect(again.body).toMatchObject({
      feedbackId: body.feedbackId,
      creditsRefunded: 0,
      alreadySubmitted: true,
    });
    const { body: usage } = await call('/v2/team/credit-usage', { key: limited.key });
    expect(usage.data.remainingCredits).toBe(98);
  });

  it('gives nothing back beyond the daily cap', async () => {
    const busy = await makeTeam(db, { credits: 100 });
    await call('/v2/scrape', { body: { url: `${site.url}/lamps` }, key: busy.key });
    const { body: first } = await search({ query: 'fresnel lens' }, busy);
    await rate(first.id, GOOD, busy.key);
    await db.query
      .updateTable('credit_entries')
      .set({ credits: -100 })
      .where('team_id', '=', busy.id)
      .where('ordinal', '=', -1)
      .execute();
    const { body: second } = await search({ query: 'fresnel lens' }, busy);
    const { body } = await rate(second.id, GOOD, busy.key);
    expect(body).toMatchObject({ creditsRefunded: 0, dailyCapReached: true, creditsRefundedToday: 100 });
  });

  it('is for own jobs of the named kind', async () => {
    const { body: found } = await search({ query: 'fresnel lens' });
    const stranger = await makeTeam(db);
    expect((await rate(found.id, GOOD, stranger.key)).status).toBe(404);
    expect((await rate('0197a000-0000-7000-8000-000000000000', GOOD)).status).toBe(404);
    expect((await rate('abc', GOOD)).status).toBe(400);
    const about = (endpoint: string, jobId: string) =>
      call('/v2/feedback', {
        body: { endpoint, jobId, rating: 'partial', note: 'half of it' },
        key: team.key,
      });
    expect((await about('scrape', found.id)).status).toBe(404);
    const { body: scraped } = await scrape({ url: `${site.url}/lamps` });
    const { status, body } = await about('scrape', scraped.data.metadata.scrapeId);
    expect([status, body.creditsRefunded, body.dailyRefundCap]).toEqual([200, 0, undefined]);
  });

  it('or on a scrape is also for a page of a batch, once for each page', async () => {
    const urls = [`${site.url}/lamps`, `${site.url}/chairs`];
    const id = await startJob('/v2/batch/scrape', { urls, formats: ['markdown'] }, { key: team.key });
    const { data } = await finished('/v2/batch/scrape', id, { key: team.key });
    const [first, second] = data.map(({ metadata }: { metadata: { scrapeId: string } }) => metadata.scrapeId);
    const about = (jobId: string, key = team.key) =>
      call('/v2/feedback', {
        body: { endpoint: 'scrape', jobId, rating: 'partial', note: 'half of it' },
        key,
      });
    const { status, body } = await about(first);
    expect([status, body.creditsRefunded, body.alreadySubmitted]).toEqual([200, 0, undefined]);
    expect((await about(second)).body.feedbackId).not.toBe(body.feedbackId);
    expect((await about(first)).body).toMatchObject({ feedbackId: body.feedbackId, alreadySubmitted: true });
    expect((await about(second, (await makeTeam(db)).key)).status).toBe(404);
  });

  it.each([
    { rating: 'good' },
    { rating: 'partial' },
    { rating: 'bad', valuableSources: [{ url: 'https://example.com/' }] },
    { rating: 'fine', querySuggestions: 'x' },
    { ...GOOD, stars: 5 },
    { ...GOOD, valuableSources: Array(51).fill({ url: 'https://example.com/' }) },
    { rating: 'bad', missingContent: [{ topic: '' }] },
  ])('refuses %o', async (body) => {
    expect((await rate('0197a000-0000-7000-8000-000000000000', body)).status).toBe(400);
  });
});

describe('a search request', () => {
  it.each([
    ['no query', {}],
    ['an empty query', { query: ' \n' }],
    ['a query of more than 500 characters', { query: 'word '.repeat(10_000) }],
    ['an unknown key', { query: 'x', querry: 'y' }],
    ['an unknown source', { query: 'x', sources: ['telegraph'] }],
    ['no source', { query: 'x', sources: [] }],
    ['the category developer beside another one', { query: 'x', categories: ['developer', 'pdf'] }],
    ['both lists of domains', { query: 'x', includeDomains: ['a.example'], excludeDomains: ['b.example'] }],
    ['a domain with a path', { query: 'x', includeDomains: ['a.example/b'] }],
    ['a domain with an operator', { query: 'x', excludeDomains: ["a' | !'b"] }],
    ['a limit of 0', { query: 'x', limit: 0 }],
    ['a limit of 101', { query: 'x', limit: 101 }],
    ['a period that is none', { query: 'x', tbs: 'yesterday' }],
    ['lockdown', { query: 'x', scrapeOptions: { formats: ['markdown'], lockdown: true } }],
    [
      'scrape options that exclude each other',
      { query: 'x', scrapeOptions: { formats: ['changeTracking'] } },
    ],
    ['an unknown scrape option', { query: 'x', scrapeOptions: { url: 'https://a.example/' } }],
  ])('with %s is refused', async (_, body) => {
    const { status, body: answer } = await search(body);
    expect([status, answer.code]).toEqual([400, 'BAD_REQUEST']);
  });

  it.each(['zdr', 'anon'])('for enterprise %s says that this is not available', async (name) => {
    const { body } = await search({ query: 'x', enterprise: [name] });
    expect(body.code).toBe('FEATURE_NOT_AVAILABLE');
  });

  it('that takes too long gets 408', async () => {
    const { status, body } = await search({ query: 'carpenter', timeout: 1 });
    expect([status, body.code]).toEqual([408, 'MAP_TIMEOUT']);
    expect(body.error).toContain('timed out');
  });

  it.each(
    [
      ...[
        "'; drop table indexed_pages; --",
        "' | !'a",
        "foo:* & !bar <-> 'x'",
        '\\',
        "a\\'b",
        '((((',
        ':*',
        '!!!',
        '"',
        '%_%',
      ],
      ...[
        '\ud83d\ude00',
        '\u202e\u0000x'.replace('\u0000', ''),
        'a'.repeat(500),
        '漢'.repeat(500),
        'ก'.repeat(500),
      ],
      ...[
        'مرحبا بالعالم',
        'שלום',
        'नमस्ते दुनिया',
        '안녕하세요 세계',
        'ආයුබෝවන්',
        'გამარჯობა',
        'Բարեւ',
        'ሰላም',
        'សួស្តី',
        'မင်္ဂလာပါ',
      ],
      ...['İstanbul', 'ﬁne ﬂow', 'Ⅻ ①', 'e\u0301'.repeat(100), 'the of and', '1 2 3'],
    ].map((query) => [query]),
  )('for %j gets results or none, and no error', async (query) => {
    const { status, body } = await search({ query });
    expect([status, body.success]).toEqual([200, true]);
    expect(Array.isArray(body.data.web)).toBe(true);
  });
});
