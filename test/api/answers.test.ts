import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { finished, startJob } from '../support/api/jobs.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { makeTeam, type TestTeam, useDatabase } from '../support/storage/database.ts';

/** Formats for language models in a service that has none. */

const PRODUCT = {
  '@type': 'Product',
  name: 'Lamp',
  offers: {
    '@type': 'Offer',
    price: '1299.00',
    priceCurrency: 'EUR',
    availability: 'https://schema.org/InStock',
  },
};
const SHOP = `<html lang="en"><title>Lamp</title>
  <script type="application/ld+json">${JSON.stringify(PRODUCT)}</script>
  <main><h1>Lamp</h1><p>This lamp lights a room of any size with very little power.</p>
  <p>The lamp was designed by Anna Berger in the year 1998.</p><dl><dt>Weight<dd>3.5 kg</dl></main>`;

const db = useDatabase();
let team: TestTeam;
let site: Pages;
beforeAll(async () => {
  team = await makeTeam(db, { zeroDataRetention: true });
  site = await startPages({ '/lamp': SHOP, '/empty': '<title>x</title>' });
});
afterAll(() => site[Symbol.asyncDispose]());

const scrape = (formats: unknown[], { path = '/lamp', ...options }: Record<string, unknown> = {}) =>
  call('/v2/scrape', { body: { url: site.url + path, fastMode: true, formats, ...options }, key: team.key });

const properties = {
  title: { type: 'string' },
  price: { type: 'number' },
  weight: { type: 'number' },
  colour: { type: 'string' },
};
const schema = { type: 'object', properties, required: ['title'] };

describe('a scrape without a language model', () => {
  it.each([
    ['summary', 'summary', /This lamp lights a room/, 1],
    [
      { type: 'question', question: 'Who designed it?' },
      'answer',
      /^The lamp was designed by Anna Berger/,
      5,
    ],
    [{ type: 'highlights', query: 'power' }, 'highlights', /with very little power\.$/, 5],
    [{ type: 'query', prompt: 'Who designed it?' }, 'answer', /Anna Berger/, 5],
    [{ type: 'query', prompt: 'power', mode: 'directQuote' }, 'highlights', /power/, 5],
  ])('derives %j from the words of the page', async (format, field, text, creditsUsed) => {
    const { status, body } = await scrape([format]);
    expect([status, body.success]).toEqual([200, true]);
    expect(body.data[field]).toMatch(text);
    expect(body.data.metadata.creditsUsed).toBe(creditsUsed);
    expect(body.data.warning).toContain('No language model is configured');
    expect(Object.keys(body.data).sort()).toEqual([field, 'metadata', 'warning'].sort());
  });

  it.each([
    ['json', 5],
    ['deterministicJson', 3],
  ])(
    'derives %s by the property names of a schema, and names the missing values in the warning',
    async (type, creditsUsed) => {
      const { body } = await scrape([{ type, schema }]);
      expect(body.data).toMatchObject({
        json: { title: 'Lamp', price: 1299, weight: 3.5 },
        metadata: { creditsUsed },
      });
      expect(body.data.json).not.toHaveProperty('colour');
      expect(body.data.warning).toContain('json has no value for colour');
    },
  );

  it('returns the product and all structured data of the page', async () => {
    const { body } = await scrape(['product', { type: 'json', prompt: 'everything' }]);
    expect(body.data).toMatchObject({
      product: {
        title: 'Lamp',
        url: `${site.url}/lamp`,
        variants: [
          { price: { amount: 1299, currency: 'EUR' }, availability: { inStock: true, text: 'InStock' } },
        ],
      },
      json: { items: [{ ...PRODUCT, offers: { ...PRODUCT.offers, availability: 'InStock' } }] },
    });
  });

  it('leaves out what the page does not have, warns, and charges nothing for it', async () => {
    const formats = [
      'markdown',
      'summary',
      { type: 'json', schema },
      { type: 'question', question: 'Who designed it?' },
      { type: 'highlights', query: 'power' },
      'product',
      'menu',
    ];
    const { body } = await scrape(formats, { path: '/empty' });
    // Its title is all that it has.
    expect(body.data.json).toEqual({ title: 'x' });
    for (const field of ['summary', 'answer', 'highlights', 'product', 'menu']) {
      expect(body.data).not.toHaveProperty(field);
      expect(body.data.warning).toMatch(new RegExp(`${field} (?:was|were) left out`));
    }
    expect(body.data.metadata.creditsUsed).toBe(5);
  });

  it('stores no extracted data with zero data retention', async () => {
    const { body } = await scrape([{ type: 'json', schema }], { zeroDataRetention: true });
    expect(body.data).toMatchObject({ json: { price: 1299 }, metadata: { creditsUsed: 6 } });
  });

  it.each([
    [{ type: 'json' }, 'needs a schema or a prompt'],
    [{ type: 'json', schema: { type: 'nonsense' } }, 'no usable JSON Schema'],
    [{ type: 'json', schema: { properties: { a: { $ref: '#/nowhere' } } } }, 'refers to #/nowhere'],
    [{ type: 'json', prompt: 'x'.repeat(10_001) }, 'formats[0].prompt must have at most 10000 characters'],
    [{ type: 'question', question: '' }, 'formats[0].question must not be empty'],
    [{ type: 'json', prompt: 'x', systemPrompt: 'y' }, 'systemPrompt'],
  ])('refuses %j', async (format, message) => {
    const { status, body } = await scrape([format]);
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(JSON.stringify(body)).toContain(message);
  });
});

it('pages of a batch get the same extracted data at the same price as single scrapes', async () => {
  const body = {
    urls: [`${site.url}/lamp`, `${site.url}/empty`],
    formats: [{ type: 'question', question: 'Who designed it?' }],
    fastMode: true,
  };
  const id = await startJob('/v2/batch/scrape', body, { key: team.key });
  const { data, creditsUsed } = await finished('/v2/batch/scrape', id, { key: team.key });
  expect(creditsUsed).toBe(6);
  const answers = data.map((each: { answer?: string }) => each.answer);
  expect(answers).toContainEqual(expect.stringContaining('Anna Berger'));
  expect(answers).toContain(undefined);
});
