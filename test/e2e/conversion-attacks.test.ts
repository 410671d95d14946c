import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/storage/db/client.ts';
import { call } from '../support/api/call.ts';
import { finished, startJob } from '../support/api/jobs.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { makeTeam, openTestDatabase } from '../support/storage/database.ts';

/** One team sends pages and options that take all processor time that they can; another one scrapes meanwhile. */

const service = useService(() => ({
  WINNOW_ALLOW_PRIVATE: '127.0.0.0/8',
  WINNOW_MAX_CONVERSION_SECONDS: '1',
}));

/** Each paragraph looks at all before it, once for each selector, which takes minutes. */
const SLOW_PAGE = '<p>a'.repeat(30_000);
const SLOW_SELECTORS = Array.from({ length: 60 }, (_, n) => `b${n} ~ p`);
const PATTERN_PAGE = `<title>Lamp</title><script type="application/ld+json">${JSON.stringify({
  '@type': 'Product',
  name: `${'a'.repeat(10_000)}!`,
  price: 5,
})}</script>`;
const ATTACKS = 4;
/** Links that the patterns of {@link SLOW_PATTERNS} take seconds for, each. */
const LINK_PAGE = `<a href="/plain">Plain</a>${Array.from({ length: 40 }, (_, n) => `<a href="/${'ab'.repeat(3_500)}${n}">${n}</a>`).join('')}`;
const SLOW_PATTERNS = [...Array(20).fill('[ab]*a[ab]{900}[c-z]'), '^/(?:links|plain)$'];

let db: Database;
let site: Pages;
beforeAll(async () => {
  db = openTestDatabase(service);
  site = await startPages({
    '/slow': SLOW_PAGE,
    '/patterns': PATTERN_PAGE,
    '/plain': '<h1>Plain',
    '/links': LINK_PAGE,
  });
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await db.close();
});

const scrape = (key: string, body: object) =>
  call('/v2/scrape', { url: service.url, key, body: { timeout: 150_000, ...body } });

describe('a team whose scrapes take all the processor time that they can', () => {
  it('gets a typed error for each, while another team gets its page', async () => {
    const [attacker, other] = await Promise.all([makeTeam(db), makeTeam(db)]);
    let ended = 0;
    const attack = Array.from({ length: ATTACKS }, async () => {
      const response = await scrape(attacker.key, { url: `${site.url}/slow`, excludeTags: SLOW_SELECTORS });
      ended++;
      return response;
    });
    const { body } = await scrape(other.key, { url: `${site.url}/plain` });
    expect(body.data.markdown).toBe('# Plain');
    expect(ended).toBeLessThan(ATTACKS);
    for (const response of await Promise.all(attack))
      expect([response.status, response.body.code]).toEqual([400, 'SCRAPE_CONVERSION_TOO_LONG']);
  });

  it('is told which links of a crawl its patterns take too long for', async () => {
    const access = { url: service.url, key: service.key };
    const request = { url: `${site.url}/links`, includePaths: SLOW_PATTERNS, sitemap: 'skip' };
    const id = await startJob('/v2/crawl', { ...request, crawlEntireDomain: true }, access);
    const status = await finished('/v2/crawl', id, access);
    expect(
      status.data.map(({ metadata }: { metadata: { url: string } }) => new URL(metadata.url).pathname).sort(),
    ).toEqual(['/links', '/plain']);
    expect(status.warning).toContain('Long links were left out');
  });

  it('gets results where a native regular expression would never end', async () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string', pattern: '^(a+)+$' }, price: { type: 'number' } },
    };
    const { status, body } = await scrape(service.key, {
      url: `${site.url}/patterns`,
      formats: [{ type: 'json', schema }],
    });
    expect([status, body.data?.json]).toEqual([200, { price: 5 }]);
  });

  it('is told about patterns that cannot be matched in linear time', async () => {
    const schema = { type: 'object', properties: { name: { type: 'string', pattern: '(a)\\1' } } };
    const { status, body } = await scrape(service.key, {
      url: `${site.url}/patterns`,
      formats: [{ type: 'json', schema }],
    });
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(JSON.stringify(body)).toContain('schema/properties/name/pattern has a back-reference');
  });
});
