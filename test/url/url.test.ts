import { describe, expect, it } from 'vitest';
import { canForwardHeaders, normalizeTarget, parseTarget } from '../../src/url/url.ts';

describe('a URL from a user', () => {
  it.each([
    ['example.com', 'http://example.com/'],
    [' https://example.com/a b '.trim().replace(' ', '%20'), 'https://example.com/a%20b'],
    ['  example.com/path?q=1#part \n', 'http://example.com/path?q=1#part'],
    ['example.com:8080/x', 'http://example.com:8080/x'],
    ['HTTPS://EXAMPLE.com', 'https://example.com/'],
    ['bücher.example', 'http://xn--bcher-kva.example/'],
    ['192.0.2.1', 'http://192.0.2.1/'],
    ['http://[2001:db8::1]/', 'http://[2001:db8::1]/'],
    ['http://example.xn--p1ai', 'http://example.xn--p1ai/'],
  ])('%j is read as %s', (text, href) => {
    expect(parseTarget(text, false).href).toBe(href);
  });

  it.each([
    ['localhost', /top-level domain/],
    ['http://wiki/page', /top-level domain/],
    ['ftp://example.com', /unsupported protocol: ftp/],
    ['file:///etc/passwd', /unsupported protocol: file/],
    ['javascript:alert(1)', /unsupported protocol: javascript/],
    ['data:text/html,x', /unsupported protocol: data/],
    ['', /Invalid URL/],
    ['http://', /Invalid URL/],
    ['two words', /Invalid URL/],
    ['http://exa mple.com', /Invalid URL/],
  ])('%j is refused', (text, message) => {
    expect(() => parseTarget(text, false)).toThrow(
      expect.objectContaining({
        code: 'BAD_REQUEST',
        message: expect.stringMatching(message),
        details: [expect.objectContaining({ path: ['url'] })],
      }),
    );
  });

  it('can have a host of one label where local names are allowed', () => {
    expect(parseTarget('localhost:3000/x', true).href).toBe('http://localhost:3000/x');
  });
});

describe('normalized URLs', () => {
  it.each([
    ['http://example.com/a?b=1&a=2#part', 'http://example.com/a?a=2&b=1'],
    ['http://example.com/a/', 'http://example.com/a'],
    ['http://EXAMPLE.com:80', 'http://example.com'],
  ])('%s and %s are equal', (one, other) => {
    expect(normalizeTarget(one)).toBe(normalizeTarget(other));
  });

  it.each([
    ['http://example.com/a', 'http://example.com/A'],
    ['http://example.com', 'http://www.example.com'],
    ['http://example.com', 'https://example.com'],
    ['http://example.com/?utm_source=a', 'http://example.com/'],
    ['http://example.com/?a=1', 'http://example.com/?a=2'],
  ])('%s and %s differ', (one, other) => {
    expect(normalizeTarget(one)).not.toBe(normalizeTarget(other));
  });
});

describe('headers for one URL may be forwarded', () => {
  it.each([
    ['http://example.com/a', 'http://example.com/b', true],
    ['http://example.com/', 'https://example.com/', true],
    ['https://example.com/', 'http://example.com/', false],
    ['http://example.com:8080/', 'https://example.com/', false],
    ['http://example.com/', 'https://example.com:8443/', false],
    ['http://example.com/', 'http://example.com:8080/', false],
    ['http://example.com/', 'https://www.example.com/', false],
    ['http://example.com/', 'http://example.com.evil.test/', false],
  ])('from %s to %s: %s', (from, to, allowed) => {
    expect(canForwardHeaders(new URL(from), new URL(to))).toBe(allowed);
  });
});
