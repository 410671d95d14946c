import { describe, expect, it } from 'vitest';
import { translateScrapeRequest } from '../../../src/api/v1/scrape-request.ts';
import { scrapeRequestBody } from '../../../src/schemas/scrape.ts';

const URL = 'http://a.test/';
const DEFAULTS = { url: URL, maxAge: 0, timeout: 30_000 };
const schema = { type: 'object', properties: { name: { type: 'string' } } };

/** What version 2 gets for a request of version 1. */
const translated = (request: object) => translateScrapeRequest({ url: URL, ...request }).body;

describe('a scrape of version 1 is translated:', () => {
  it.each([
    ['its defaults', {}, {}],
    ['own values in place of defaults', { maxAge: 5, timeout: 9000 }, { maxAge: 5, timeout: 9000 }],
    ['a wait beyond half of the timeout', { waitFor: 20_000 }, { waitFor: 20_000, timeout: 40_000 }],
    ['a PDF as text', { parsePDF: true }, { parsers: ['pdf'] }],
    ['a PDF as base64', { parsePDF: false }, { parsers: [] }],
    ['geolocation', { geolocation: { country: 'DE' } }, { location: { country: 'DE' } }],
    [
      'nulls in location',
      { location: { country: null, languages: ['de'] } },
      { location: { languages: ['de'] } },
    ],
    [
      'names of formats',
      { formats: ['markdown', 'content', 'rawHtml', 'links'] },
      { formats: [{ type: 'markdown' }, { type: 'rawHtml' }, { type: 'links' }] },
    ],
    [
      'two screenshots, of which version 2 makes one',
      { formats: ['screenshot@fullPage', 'screenshot'] },
      { formats: [{ type: 'screenshot', fullPage: true }] },
    ],
    [
      'the options of json',
      { formats: ['json'], jsonOptions: { schema, systemPrompt: 'Be brief.', prompt: 'The name' } },
      { formats: [{ type: 'json', schema, prompt: 'Be brief.\n\nThe name' }] },
    ],
    [
      'extract without its name in formats',
      { extract: { prompt: 'The name', schema: null } },
      { formats: [{ type: 'markdown' }, { type: 'json', prompt: 'The name' }] },
    ],
    [
      'the options of changeTracking',
      { formats: ['markdown', 'changeTracking'], changeTrackingOptions: { modes: ['json'], tag: null } },
      { formats: [{ type: 'markdown' }, { type: 'changeTracking', modes: ['json'] }] },
    ],
  ])('%s', (_what, request, expected) => {
    expect(translated(request)).toEqual({ ...DEFAULTS, ...expected });
    expect(scrapeRequestBody.safeParse(translated(request)).error).toBeUndefined();
  });

  it.each([
    [{ formats: ['extract'], extract: { schema } }, ['extract']],
    [{ formats: ['json'], jsonOptions: { schema } }, ['json']],
    [{ formats: ['json', 'extract'], extract: { schema } }, ['json', 'extract']],
    [{ formats: ['markdown'] }, undefined],
  ])('data of %j are named %j', (request, names) => {
    const { amend } = translateScrapeRequest({ url: URL, ...request });
    expect(amend?.({})).toEqual(names ? { jsonNames: names } : {});
  });

  it.each([
    [{ formats: 'markdown' }, 'formats must be'],
    [{ formats: ['extract'] }, 'Send extract with a schema or a prompt'],
    [{ formats: ['json'], jsonOptions: {} }, 'Send jsonOptions with a schema or a prompt'],
    [{ jsonOptions: 'name' }, 'jsonOptions'],
    [{ extract: { prompt: 5 } }, 'extract.prompt'],
    [{ parsePDF: 'yes' }, 'parsePDF'],
    [{ agent: { prompt: 'Click' } }, 'POST /v2/agent'],
  ])('%j is refused, and the message has %j', (request, message) => {
    expect(() => translated(request)).toThrow(message);
  });
});

describe('a hostile scrape of version 1', () => {
  it('of many unknown members is what is known of it', () => {
    const members = Array.from({ length: 200_000 }, (_, number) => [`x${number}`, number]);
    const many = Object.fromEntries(members);
    expect(translated({ ...many, location: many, extract: { ...many, prompt: 'The name' } })).toEqual({
      ...DEFAULTS,
      location: {},
      formats: [{ type: 'markdown' }, { type: 'json', prompt: 'The name' }],
    });
  });

  it('of many formats is refused as a whole', () => {
    const formats = Array.from({ length: 100_000 }, () => 5);
    expect(() => translated({ formats })).toThrow('formats must have at most 50 entries, but has 100000');
  });
});
