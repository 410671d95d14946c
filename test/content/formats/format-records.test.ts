import { describe, expect, it } from 'vitest';
import { requiresEncryption } from '../../../src/api/zero-data-retention.ts';
import { FORMATS, typeOf } from '../../../src/content/formats/index.ts';
import { priceOf } from '../../../src/credits.ts';
import { cacheKey, cacheUseOf } from '../../../src/fetch/engines/cache-key.ts';
import { type ScrapeRequest, scrapeBody } from '../../../src/schemas/scrape.ts';
import type { Caller } from '../../../src/storage/db/teams/teams.ts';

/** The smallest valid request of each format that needs more than its type. */
const SMALLEST: Record<string, object> = {
  json: { prompt: 'a' },
  deterministicJson: { prompt: 'a' },
  question: { question: 'a' },
  highlights: { query: 'a' },
  attributes: { selectors: [{ selector: 'a', attribute: 'href' }] },
};
const types = FORMATS.map((format) => typeOf(format));
const requestOf = (type: string) => ({ type, ...SMALLEST[type] });

function scrape(formats: unknown[], options: object = {}): ScrapeRequest {
  return scrapeBody.parse({ url: 'http://a.test/', formats, ...options });
}
/** Why a request is refused. */
function refusals(formats: unknown[], options: object = {}): string[] {
  const { error } = scrapeBody.safeParse({ url: 'http://a.test/', formats, ...options });
  return error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
}

describe('the price of a scrape', () => {
  it('is that of the page, and what each format adds to it', () => {
    const extra = (type: string) =>
      priceOf({ lockdown: false }, { snapshot: { proxy: 'basic' }, cacheState: undefined, made: [type] }) - 1;
    expect(Object.fromEntries(types.map((type) => [type, extra(type)]))).toEqual({
      ...Object.fromEntries(types.map((type) => [type, 0])),
      json: 4,
      deterministicJson: 2,
      question: 4,
      highlights: 4,
      audio: 4,
      video: 4,
    });
  });
});

describe('the cache', () => {
  const usesOf = (use: string) =>
    types.filter(
      (type) => cacheUseOf({ formats: scrape(['markdown']).formats.concat(single(type)) }) === use,
    );
  const single = (type: string) => requestOf(type) as ScrapeRequest['formats'][number];

  it('is used by all formats that a copy of the page can serve', () => {
    expect(usesOf('refresh')).toEqual(['changeTracking']);
    expect(usesOf('bypass')).toEqual(['audio', 'video']);
    expect(usesOf('never')).toEqual(['branding']);
  });

  it('is bypassed by a screenshot of its own size or quality, and by one to compare', () => {
    expect(cacheUseOf(scrape(['screenshot']))).toBe('normal');
    expect(cacheUseOf(scrape([{ type: 'screenshot', quality: 50 }]))).toBe('never');
    expect(cacheUseOf(scrape([{ type: 'screenshot', viewport: { width: 9, height: 9 } }]))).toBe('never');
    expect(cacheUseOf(scrape([{ type: 'screenshot', mask: ['.ad'] }]))).toBe('never');
    expect(cacheUseOf(scrape([{ type: 'screenshot', still: true }]))).toBe('never');
    expect(cacheUseOf(scrape([{ type: 'screenshot', mask: [], still: false }]))).toBe('normal');
  });

  it('keeps the keys under which earlier versions stored pages', () => {
    const start = (formats: unknown[]) => cacheKey('http://a.test/', scrape(formats))?.toString('hex', 0, 4);
    expect(start(['markdown'])).toBe('911534e6');
    expect(start(['markdown', 'changeTracking'])).toBe('911534e6');
    expect(start(['screenshot'])).toBe('0f4c138b');
    expect(start([{ type: 'screenshot', fullPage: true }])).toBe('4d64355f');
    expect(start(['rawBase64'])).toBe('ccb00265');
    expect(start(['branding'])).toBeUndefined();
  });
});

describe('zero data retention', () => {
  it('refuses the formats whose results stay stored', () => {
    const caller = { zeroDataRetention: true } as Caller;
    const isRefused = (type: string) => {
      const formats = type === 'changeTracking' ? ['markdown', type] : [requestOf(type)];
      try {
        requiresEncryption(scrape(formats, { zeroDataRetention: true }), caller);
        return false;
      } catch (error) {
        expect(error).toMatchObject({ code: 'SCRAPE_ZDR_VIOLATION_ERROR' });
        return true;
      }
    };
    expect(types.filter(isRefused)).toEqual(['screenshot', 'deterministicJson', 'audio', 'video']);
  });
});

describe('a request is refused', () => {
  it('if a format is in it twice that may be there once', () => {
    const isRefused = (type: string) =>
      refusals(['markdown', requestOf(type), requestOf(type)]).some((message) =>
        message.includes(`at most one ${type} format`),
      );
    expect(types.filter(isRefused)).toEqual([
      ...['screenshot', 'changeTracking', 'json', 'deterministicJson', 'question', 'highlights'],
    ]);
  });

  it('if a format lacks the format that it needs, or has one beside it that it excludes', () => {
    expect(refusals(['changeTracking'])).toEqual([
      'formats: the changeTracking format requires the markdown format in the same request',
    ]);
    expect(refusals([requestOf('json'), requestOf('deterministicJson')])).toEqual([
      'formats: the formats json and deterministicJson cannot be combined',
    ]);
    expect(refusals(['rawBase64', 'links'])).toEqual(['formats: rawBase64 must be the only format']);
  });

  it('if it contains an option that one of its formats excludes', () => {
    expect(refusals(['audio', 'video'], { minAge: 0 })).toEqual([
      'minAge: minAge returns a cached copy, which has no files for the formats audio and video: leave one of them out',
    ]);
    expect(refusals(['markdown', 'changeTracking'], { minAge: 0 })).toEqual([
      'minAge: minAge returns a cached copy, but the changeTracking format needs the current page: leave one of them out',
    ]);
    expect(refusals(['rawBase64'], { mobile: true, actions: [] })).toEqual([
      'mobile: rawBase64 returns the bytes that the server sends, without a browser: leave mobile out',
    ]);
  });
});
