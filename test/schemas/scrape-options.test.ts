import { describe, expect, it } from 'vitest';
import { scrapeBody } from '../../src/schemas/scrape.ts';

/** The options that scrapes, batches and crawls share: names, defaults, limits and conflicts. */

/** The codes of features that are not there, or not enabled. */
const UNAVAILABLE = new Set<unknown>(['FEATURE_NOT_AVAILABLE', 'FORBIDDEN']);

const DAY_MS = 86_400_000;
const TWO_YEARS_MS = 730 * DAY_MS;

const check = (options: object) => scrapeBody.safeParse({ url: 'https://site.test/', ...options });

function accepted(options: object) {
  const { success, data, error } = check(options);
  if (!success) throw new Error(`refused: ${error.message}`);
  return data;
}

/** The issues of a refused body, as `path: message`; features that are not there yet left out. */
function faults(options: object): string[] {
  return (check(options).error?.issues ?? [])
    .filter((issue) => !(issue.code === 'custom' && UNAVAILABLE.has(issue.params?.code)))
    .map(({ path, message }) => `${path.join('.')}: ${message}`);
}

function unavailableFeatures(options: object): string[] {
  return (check(options).error?.issues ?? []).flatMap((issue) =>
    issue.code === 'custom' && UNAVAILABLE.has(issue.params?.code) ? [issue.message] : [],
  );
}

describe('defaults', () => {
  it('are those of the specification', () => {
    expect(accepted({})).toEqual({
      url: 'https://site.test/',
      formats: [{ type: 'markdown' }],
      onlyMainContent: true,
      onlyCleanContent: false,
      maxAge: 2 * DAY_MS,
      waitFor: 0,
      mobile: false,
      skipTlsVerification: true,
      timeout: 60_000,
      parsers: ['pdf', 'image'],
      removeBase64Images: true,
      fastMode: false,
      blockAds: true,
      proxy: 'auto',
      storeInCache: true,
      lockdown: false,
      redactPII: false,
      safeMode: false,
      zeroDataRetention: false,
      origin: 'api',
    });
  });

  const withHeaders = { headers: { 'x-token': 'abc' } };
  const dependent: [string, object, object][] = [
    ['headers turn certificates on', withHeaders, { skipTlsVerification: false }],
    ['empty headers do not', { headers: {} }, { skipTlsVerification: true, storeInCache: true }],
    ['an explicit value wins', { ...withHeaders, skipTlsVerification: true }, { skipTlsVerification: true }],
    ['certificates on without headers', { skipTlsVerification: false }, { skipTlsVerification: false }],
    ['headers keep it out of the cache', withHeaders, { storeInCache: false }],
    ['even when asked for', { ...withHeaders, storeInCache: true }, { storeInCache: false }],
    ['storeInCache off stays off', { storeInCache: false }, { storeInCache: false }],
    ['no actions are no actions', { actions: [] }, { skipTlsVerification: true, storeInCache: true }],
    ['lockdown takes copies of two years', { lockdown: true }, { maxAge: TWO_YEARS_MS }],
    ['minAge takes copies of any age', { minAge: 1 }, { minAge: 1, maxAge: TWO_YEARS_MS }],
    ['minAge 0 too', { minAge: 0 }, { maxAge: TWO_YEARS_MS }],
    ['an explicit maxAge beside lockdown', { lockdown: true, maxAge: 5 }, { maxAge: 5 }],
    ['an explicit maxAge beside minAge', { minAge: 1, maxAge: 0 }, { minAge: 1, maxAge: 0 }],
    ['an explicit timeout', { timeout: 300_000 }, { timeout: 300_000 }],
  ];
  it.each(dependent)('depend on other options: %s', (_name, options, expected) => {
    expect(accepted(options)).toMatchObject(expected);
  });
});

describe('limits', () => {
  const within: [string, object][] = [
    ['timeout', { timeout: 1000 }],
    ['timeout', { timeout: 300_000 }],
    ['waitFor', { waitFor: 60_000 }],
    ['waitFor half of timeout', { waitFor: 5000, timeout: 10_000 }],
    ['ages', { maxAge: 0, minAge: 0 }],
    ['pages of a PDF', { parsers: [{ type: 'pdf', maxPages: 10_000 }] }],
    ['selectors', { includeTags: ['main > p:has(img)'], excludeTags: ['#ad, .ad'] }],
    ['a caller', { origin: 'js-sdk@4.42.0', integration: null }],
    ['ignored fields', { domainTools: true, toolDetail: 'full', auditMetadata: { username: 'ada' } }],
    ['a header', { headers: { Cookie: 'a=b; c="d"' } }],
    ['parsers', { parsers: [] }],
    ['the basic proxy', { proxy: 'basic' }],
    ['the enhanced proxy', { proxy: 'enhanced' }],
    ['its old name', { proxy: 'stealth' }],
    ['a threat protection that is off', { threatProtection: { mode: 'off' } }],
    [
      'several screenshots sizes',
      { formats: [{ type: 'screenshot', viewport: { width: 7680, height: 4320 } }] },
    ],
  ];
  it.each(within)('include %s: %j', (_name, options) => {
    expect(faults(options)).toEqual([]);
    expect(check(options).success).toBe(true);
  });

  const beyond: [object, RegExp][] = [
    [{ timeout: 999 }, /^timeout: timeout must be at least 1000$/],
    [{ timeout: 300_001 }, /^timeout: timeout must be at most 300000$/],
    [{ timeout: 1500.5 }, /^timeout: /],
    [{ timeout: '5000' }, /^timeout: /],
    [{ waitFor: 60_001 }, /^waitFor: waitFor must be at most 60000$/],
    [{ waitFor: -1 }, /^waitFor: /],
    [{ waitFor: 5000, timeout: 9999 }, /^waitFor: waitFor must not exceed half of timeout$/],
    [{ maxAge: -1 }, /^maxAge: /],
    [{ minAge: -1 }, /^minAge: /],
    [{ foo: 1 }, /Unrecognized key: "foo"/],
    [{ includeTags: ['['] }, /^includeTags\.0: "\[" is not a CSS selector$/],
    [{ includeTags: [''] }, /^includeTags\.0: /],
    [{ includeTags: 'main' }, /^includeTags: /],
    [{ excludeTags: ['p', 'a::b:c('] }, /^excludeTags\.1: .* is not a CSS selector$/],
    [{ headers: { 'a b': 'x' } }, /^headers\.a b: /],
    [{ headers: { a: 'x\r\nHost: evil' } }, /the value of the header a has .* a control character/],
    [{ location: { country: 'Germany' } }, /alpha-2/],
    [{ location: { country: 'ZZ' } }, /alpha-2/],
    [{ location: { languages: ['de_DE\n'] } }, /is not a language tag/],
    [{ location: { contry: 'IT' } }, /Unrecognized key: "contry"/],
    [{ proxy: 'fast' }, /^proxy: /],
    [{ profile: { name: '' } }, /^profile\.name: /],
    [{ profile: { name: 'x'.repeat(129) } }, /^profile\.name: /],
    [{ redactPII: { entities: ['AGE'] } }, /^redactPII/],
    [{ threatProtection: { riskScoreThreshold: 101 } }, /riskScoreThreshold/],
    [{ auditMetadata: { username: 'x'.repeat(1025) } }, /username/],
    [{ auditMetadata: { user: 'x' } }, /Unrecognized key: "user"/],
    [{ parsers: 'pdf' }, /^parsers: /],
    [{ parsers: ['x'] }, /^parsers\.0: /],
    [{ parsers: { pdf: true } }, /^parsers: /],
    [{ parsers: [{ type: 'pdf', maxPages: 0 }] }, /^parsers\.0/],
    [{ parsers: [{ type: 'pdf', maxPages: 10_001 }] }, /^parsers\.0/],
    [{ url: undefined }, /^url: /],
  ];
  it.each(beyond)('%j is refused', (options, message) => {
    expect(faults(options)).toContainEqual(expect.stringMatching(message));
  });
});

describe('formats', () => {
  it('can be a name instead of an object', () => {
    const names = ['markdown', 'html', 'rawHtml', 'links', 'images'];
    expect(accepted({ formats: names }).formats).toEqual(names.map((type) => ({ type })));
    expect(accepted({ formats: ['screenshot'] }).formats).toEqual([{ type: 'screenshot', fullPage: false }]);
    expect(accepted({ formats: [] }).formats).toEqual([]);
  });

  const notBare = ['json', 'attributes', 'question', 'highlights', 'query'];
  it.each(notBare)('cannot be the name %s alone, which needs other fields', (name) => {
    expect(faults({ formats: [name] })).toContainEqual(expect.stringMatching(/^formats\.0/));
  });

  it('with an unknown name are refused with the known names', () => {
    for (const format of ['nonsense', { type: 'nonsense' }]) {
      const [fault] = faults({ formats: [format] });
      expect(fault).toMatch(/unknown format "nonsense"; known are markdown, html, rawHtml, .*changeTracking/);
    }
  });

  const refused: [object | string, RegExp][] = [
    ['extract', /unknown format "extract"/],
    ['screenshot@fullPage', /unknown format "screenshot@fullPage"/],
    ['__proto__', /unknown format "__proto__"/],
    [{}, /unknown format undefined/],
    [{ type: 'markdown', mode: 'x' }, /Unrecognized key: "mode"/],
    [{ type: 'screenshot', quality: 0 }, /quality/],
    [{ type: 'screenshot', quality: 101 }, /quality/],
    [{ type: 'screenshot', quality: 1.5 }, /quality/],
    [{ type: 'screenshot', viewport: { width: 7681, height: 10 } }, /width must be at most 7680/],
    [{ type: 'screenshot', viewport: { width: 10, height: 4321 } }, /height must be at most 4320/],
    [{ type: 'screenshot', viewport: { width: 0, height: 10 } }, /width/],
    [{ type: 'screenshot', viewport: { width: 10 } }, /height/],
    [{ type: 'attributes', selectors: [] }, /selectors must name at least one/],
    [
      { type: 'attributes', selectors: [{ selector: '[', attribute: 'x' }] },
      /selector "\[" is no CSS selector$/,
    ],
    [{ type: 'attributes', selectors: [{ selector: 'a' }] }, /attribute/],
    [{ type: 'json', prompt: 'x', systemPrompt: 'y' }, /Unrecognized key: "systemPrompt"/],
    [{ type: 'json' }, /needs a schema or a prompt/],
    [{ type: 'json', prompt: 'x'.repeat(10_001) }, /prompt/],
    [{ type: 'question', question: '' }, /question/],
    [{ type: 'query', prompt: 'x', mode: 'loud' }, /mode/],
    [{ type: 'changeTracking', modes: ['html'] }, /modes/],
    [{ type: 'json', schema: { type: 'nonsense' } }, /no usable JSON Schema/],
    [{ type: 'changeTracking', schema: { properties: 1 } }, /no usable JSON Schema/],
    [
      { type: 'json', schema: { properties: { code: { pattern: '(' } } } },
      /no usable JSON Schema: the pattern at schema\/properties\/code\/pattern is no regular expression/,
    ],
    [
      { type: 'json', schema: { patternProperties: { '[': {} } } },
      /no usable JSON Schema: the pattern at schema\/patternProperties\/\[ is no regular expression/,
    ],
    [
      // A property may be named like a keyword.
      { type: 'json', schema: { properties: { default: { pattern: '(' } } } },
      /no usable JSON Schema: the pattern at schema\/properties\/default\/pattern is no regular expression/,
    ],
    ['deterministicJson', /needs a schema or a prompt/],
  ];
  it.each(refused)('%j is refused', (format, message) => {
    expect(faults({ formats: ['markdown', format] })).toContainEqual(expect.stringMatching(message));
  });

  const json = { type: 'json', prompt: 'x' };
  const conflicts: [(object | string)[], string][] = [
    [['screenshot', { type: 'screenshot', fullPage: true }], 'at most one screenshot format is allowed'],
    [['changeTracking'], 'the changeTracking format requires the markdown format in the same request'],
    [['markdown', 'changeTracking', 'changeTracking'], 'at most one changeTracking format is allowed'],
    [
      [json, { ...json, type: 'deterministicJson' }],
      'the formats json and deterministicJson cannot be combined',
    ],
    [[json, json], 'at most one json format is allowed'],
    [
      [
        { type: 'question', question: 'a' },
        { type: 'query', prompt: 'b' },
      ],
      'at most one question format is allowed',
    ],
    [['rawBase64', 'markdown'], 'rawBase64 must be the only format'],
  ];
  it.each(conflicts)('refuse %j: %s', (formats, message) => {
    expect(faults({ formats })).toEqual([`formats: ${message}`]);
  });

  it('with changeTracking leave waitFor unchanged, because it is part of the cache key', () => {
    const formats = ['markdown', 'changeTracking'];
    expect(accepted({ formats }).formats[1]).toEqual({ type: 'changeTracking', modes: [], tag: null });
    expect(accepted({ formats }).waitFor).toBe(0);
    expect(accepted({ formats, waitFor: 100 }).waitFor).toBe(100);
  });

  it('can be combined', () => {
    expect(faults({ formats: ['changeTracking', 'markdown', 'screenshot', json] })).toEqual([]);
    expect(faults({ formats: ['rawBase64'] })).toEqual([]);
  });

  it.each([{ actions: [{ type: 'scrape' }] }, { mobile: true }, { profile: { name: 'a' } }, { waitFor: 10 }])(
    'refuse %j beside rawBase64, for which nothing is opened',
    (option) => {
      const [name] = Object.keys(option);
      expect(faults({ formats: ['rawBase64'], ...option })).toEqual([
        `${name}: rawBase64 returns the bytes that the server sends, without a browser: leave ${name} out`,
      ]);
    },
  );
});

describe('actions', () => {
  const wait = (milliseconds: number) => ({ type: 'wait', milliseconds });
  const refused: [object, RegExp][] = [
    [{ actions: Array(51).fill(wait(1)) }, /actions: must have at most 50 entries, but has 51/],
    [{ actions: [{ type: 'wait' }] }, /exactly one of milliseconds and selector/],
    [{ actions: [{ ...wait(1), selector: 'a' }] }, /exactly one of milliseconds and selector/],
    [{ actions: [wait(0)] }, /^actions\.0/],
    [{ actions: [{ type: 'click' }] }, /^actions\.0/],
    [{ actions: [{ type: 'fly' }] }, /^actions\.0/],
    [{ actions: [{ type: 'pdf', scale: 3 }] }, /^actions\.0/],
    [{ actions: [{ type: 'scroll', direction: 'left' }] }, /^actions\.0/],
    [{ fastMode: true, actions: [wait(1)] }, /^actions: actions need the browser/],
    [{ waitFor: 2000, actions: [wait(59_000)] }, /together must not exceed 60000 ms/],
    [{ waitFor: 59_500, actions: [{ type: 'wait', selector: 'a' }] }, /together must not exceed 60000 ms/],
  ];
  it.each(refused)('%j is refused', (options, message) => {
    expect(faults(options)).toContainEqual(expect.stringMatching(message));
  });

  it('can be fifty that wait for a minute in total', () => {
    expect(faults({ actions: Array(50).fill(wait(1200)) })).toEqual([]);
    expect(faults({ waitFor: 59_000, actions: [{ type: 'wait', selector: 'a' }] })).toEqual([]);
  });
});

describe('features that are not available yet', () => {
  const asked: [object, string[]][] = [
    [{ safeMode: true }, ['safeMode']],
    [{ threatProtection: { mode: 'normal' } }, ['threatProtection']],
    [{ useMock: 'a' }, ['useMock']],
    [{ safeMode: true, useMock: 'a' }, ['safeMode', 'useMock']],
  ];
  it.each(asked)('%j is named', (options, names) => {
    expect(unavailableFeatures(options)).toEqual(
      names.map((name) => `${name} is not available in this version of Winnow. Leave it out and try again.`),
    );
    expect(faults(options)).toEqual([]);
  });
});
