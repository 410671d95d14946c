import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalKey } from '../../../src/jobs/crawl/canonical-key.ts';
import { propertyRuns } from '../../support/suite/corpus.ts';

const similar = { ignoreQueryParameters: false, deduplicateSimilarURLs: true };
const strict = { ignoreQueryParameters: false, deduplicateSimilarURLs: false };
const HEX = '0123456789abcdef0123456789abcdef';

describe('similar URLs have one key,', () => {
  it.each([
    ['http://example.com/a', 'https://example.com/a'],
    ['https://www.example.com/a', 'https://example.com/a'],
    ['https://EXAMPLE.com./a', 'https://example.com/a'],
    ['http://example.com:80/a', 'https://example.com:443/a'],
    ['http://example.com:443/a', 'https://example.com/a'],
    ['https://example.com', 'https://example.com/'],
    ['https://example.com/a/', 'https://example.com/a'],
    ['https://example.com/a///', 'https://example.com/a'],
    ['https://example.com/index.html', 'https://example.com/'],
    ['https://example.com/a/index.php', 'https://example.com/a'],
    ['https://example.com/a/Default.aspx', 'https://example.com/a/'],
    ['https://example.com/a/index.html/', 'https://example.com/a'],
    ['https://example.com/%7Euser', 'https://example.com/~user'],
    ['https://example.com/a%2fb', 'https://example.com/a%2Fb'],
    ['https://example.com/ü', 'https://example.com/%c3%bc'],
    ['https://example.com/a/../b', 'https://example.com/b'],
    ['https://example.com/a#part', 'https://example.com/a'],
    ['https://example.com/a#', 'https://example.com/a'],
    ['https://example.com/#/', 'https://example.com/'],
    ['https://example.com/#!', 'https://example.com/'],
    ['https://example.com/#/users/', 'https://example.com/#/users'],
    ['https://example.com/?b=1&a=2', 'https://example.com/?a=2&b=1'],
    ['https://example.com/?a=x%20y', 'https://example.com/?a=x+y'],
    ['https://example.com/?', 'https://example.com/'],
    ['https://example.com/?&a=1&&', 'https://example.com/?a=1'],
    ['https://example.com/?utm_source=x&UTM_Medium=y&id=1', 'https://example.com/?id=1'],
    ['https://example.com/?gclid=1&fbclid=2&msclkid=3&mc_eid=4&_hsenc=5', 'https://example.com/'],
    [`https://example.com/?PHPSESSID=${HEX}&id=1`, 'https://example.com/?id=1'],
    ['https://example.com/?ASPSESSIONIDQABC=1', 'https://example.com/'],
    [`https://example.com/forum?sid=${HEX}`, 'https://example.com/forum'],
    ['https://example.com/a;jsessionid=1A2B.node1?x=1', 'https://example.com/a?x=1'],
    ['https://example.com/a;JSESSIONID=1/b', 'https://example.com/a/b'],
    ['https://example.com/a;jsession%69d=1', 'https://example.com/a'],
    ['https://example.com/(S(lit3py55t21z5v55vlm25s55))/a.aspx', 'https://example.com/a.aspx'],
    ['https://user:secret@example.com/a', 'https://example.com/a'],
    ['http://[2001:db8::1]:80/', 'https://[2001:db8::1]/index.htm'],
  ])('as %s and %s have', (one, other) => {
    expect(canonicalKey(one, similar)).toBe(canonicalKey(other, similar));
  });

  it('which is the normalized URL', () => {
    const url = 'http://www.example.com:8080/%7Ea/index.html?b=%2f&utm_id=1&a=2#part';
    expect(canonicalKey(url, similar)).toBe('https://example.com:8080/~a?a=2&b=%2F');
  });
});

describe('URLs of different pages have different keys,', () => {
  it.each([
    ['https://example.com/a', 'https://example.com/A'],
    ['https://example.com/a', 'https://example.com/ab'],
    ['https://example.com/a/b', 'https://example.com/a%2Fb'],
    ['https://example.com/a//b', 'https://example.com/a/b'],
    ['https://example.com/?a=1&a=2', 'https://example.com/?a=2&a=1'],
    ['https://example.com/?id=1', 'https://example.com/?id=2'],
    ['https://example.com/?a=1+1', 'https://example.com/?a=1%2B1'],
    ['https://example.com/?sid=41', 'https://example.com/?sid=42'],
    ['https://example.com/?s=search', 'https://example.com/'],
    ['https://example.com/?ref=main', 'https://example.com/'],
    ['https://example.com/reindex.html', 'https://example.com/'],
    ['https://example.com/index.html.bak', 'https://example.com/'],
    ['https://example.com/a;v=1', 'https://example.com/a;v=2'],
    ['https://example.com/#/users', 'https://example.com/#/groups'],
    ['https://example.com/#!users', 'https://example.com/'],
    ['https://example.com:8080/', 'https://example.com/'],
    ['https://sub.example.com/', 'https://example.com/'],
    ['https://www.com/', 'https://com/'],
    ['https://wwwexample.com/', 'https://example.com/'],
  ])('%s ≠ %s', (one, other) => {
    expect(canonicalKey(one, similar)).not.toBe(canonicalKey(other, similar));
  });
});

describe('without deduplication of similar URLs,', () => {
  it.each([
    ['http://example.com/a', 'https://example.com/a'],
    ['https://www.example.com/a', 'https://example.com/a'],
    ['https://example.com/a/', 'https://example.com/a'],
    ['https://example.com/?b=1&a=2', 'https://example.com/?a=2&b=1'],
    ['https://example.com/?utm_source=x', 'https://example.com/'],
  ])('%s ≠ %s', (one, other) => {
    expect(canonicalKey(one, strict)).not.toBe(canonicalKey(other, strict));
  });

  it.each([
    ['https://user:secret@EXAMPLE.com:443/a#part', 'https://example.com/a'],
    ['https://example.com/a?b=1#/route/', 'https://example.com/a?b=1#/route/'],
  ])('%s has the key %s', (url, key) => {
    expect(canonicalKey(url, strict)).toBe(key);
  });
});

describe('with the query ignored,', () => {
  it.each([similar, strict])('a key has the route and not the query: %o', (options) => {
    const ignoring = { ...options, ignoreQueryParameters: true };
    expect(canonicalKey('https://example.com/a?id=1#/r', ignoring)).toBe('https://example.com/a#/r');
  });
});

it.each(['mailto:a@example.com', 'not an address', '', 'data:text/plain,x'])('%j is its own key', (text) => {
  expect(canonicalKey(text, similar)).toBe(text);
});

const piece = fc.oneof(
  fc.constantFrom(
    '',
    '.',
    '..',
    '%',
    '%2e',
    '%41',
    '%2',
    '(S(0123456789abcdef))',
    ';jsessionid=1',
    'index.html',
  ),
  fc.constantFrom(
    'Default.aspx',
    ';',
    '//',
    '#/',
    '#!',
    '?',
    '&',
    '=',
    'sid=',
    'utm_a=1',
    '%20',
    '+',
    "'",
    '\t',
    'ü',
  ),
  fc.string({ maxLength: 4 }),
);
const address = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    fc.constantFrom(
      'a.de',
      'www.a.de',
      'www.www.a.de',
      'WWW.de',
      'a.de.',
      'a.de:80',
      'u:p@a.de:443',
      '[::1]:8080',
    ),
    fc.array(piece, { maxLength: 6 }),
    fc.constantFrom('', '/', '&'),
  )
  .map(([scheme, host, pieces, glue]) => `${scheme}://${host}/${pieces.join(glue)}`);

it.each([[similar], [strict], [{ ...similar, ignoreQueryParameters: true }]])(
  'the key of a key is the same key: %o',
  (options) => {
    fc.assert(
      fc.property(address, (url) => {
        const key = canonicalKey(url, options);
        expect(canonicalKey(key, options)).toBe(key);
      }),
      propertyRuns(5_000),
    );
  },
);
