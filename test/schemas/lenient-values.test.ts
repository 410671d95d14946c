import { describe, expect, it } from 'vitest';
import { crawlBody } from '../../src/schemas/crawl.ts';
import { extractBody } from '../../src/schemas/extract.ts';
import { scrapeBody } from '../../src/schemas/scrape.ts';
import { searchBody, searchRequestBody } from '../../src/schemas/search.ts';

/** What programs send for options that their users have left alone. */

const url = 'http://a.test/';
const schema = { type: 'object' };

describe('empty values stand for options that are not set:', () => {
  it('in a search, as forms send them', () => {
    const { tbs, lang, country, sources } = searchBody.parse({
      query: 'x',
      tbs: '',
      lang: '',
      country: '',
      sources: [{ type: 'web', tbs: '' }],
    });
    expect({ tbs, lang, country, sources }).toEqual({ sources: [{ type: 'web' }] });
  });

  it('in a crawl', () => {
    const { prompt, delay } = crawlBody.parse({ url, prompt: '', delay: 0 });
    expect({ prompt, delay }).toEqual({});
  });

  it('in prompts beside a schema', () => {
    const formats = [
      { type: 'json', prompt: '', schema },
      'markdown',
      { type: 'changeTracking', prompt: '' },
    ];
    const [json, , tracking] = scrapeBody.parse({ url, formats }).formats;
    expect(json).toEqual({ type: 'json', schema });
    expect(tracking).toEqual({ type: 'changeTracking', modes: [], tag: null });
    expect(extractBody.parse({ urls: [url], schema, prompt: '' }).prompt).toBeUndefined();
  });

  it('but a prompt is missing where nothing else says which data are wanted', () => {
    expect(scrapeBody.safeParse({ url, formats: [{ type: 'json', prompt: '' }] }).error?.message).toContain(
      'needs a schema or a prompt',
    );
    expect(extractBody.safeParse({ prompt: '' }).error?.message).toContain('urls is empty or missing');
  });

  it('in a scrape: a country, and an object in place of actions', () => {
    const { location, actions } = scrapeBody.parse({ url, location: { country: '' }, actions: {} });
    expect([location, actions]).toEqual([{}, []]);
    expect(scrapeBody.safeParse({ url, actions: { type: 'wait' } }).success).toBe(false);
  });
});

describe('members of location', () => {
  it('that are unknown are ignored, and remembered for a warning', () => {
    const location = { country: 'DE', city: 'Rome', state: 'Bavaria', timezone: 'Europe/Berlin' };
    expect(scrapeBody.parse({ url, location }).location).toEqual({
      country: 'DE',
      ignored: ['city', 'state', 'timezone'],
    });
  });

  it.each(['contry', 'Country', 'language', 'countryCode', 'country_code'])(
    'that are misspelt are mistakes: %s',
    (key) => {
      const { error } = scrapeBody.safeParse({ url, location: { [key]: 'DE' } });
      expect(error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: [key], path: ['location'] }]);
    },
  );
});

it('the marketplace of the official clients is left out of the sources, and refused by its own code alone', () => {
  for (const sources of [
    ['web', { type: 'alexandria' }],
    ['alexandria', 'web'],
  ])
    expect(searchRequestBody.parse({ query: 'x', sources }).sources).toMatchObject([{ type: 'web' }]);
  for (const sources of [['alexandria'], [{ type: 'alexandria' }]]) {
    const { error } = searchRequestBody.safeParse({ query: 'x', sources });
    expect(error?.issues).toContainEqual(
      expect.objectContaining({
        path: ['sources'],
        message: expect.stringContaining('alexandria is not enabled'),
        params: { code: 'exchange_not_enabled' },
      }),
    );
  }
});
