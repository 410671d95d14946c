import { describe, expect, it } from 'vitest';
import { PathPatterns } from '../../../src/jobs/crawl/path-patterns.ts';
import {
  createScope,
  type LinkSource,
  type ScopeDecision,
  type ScopeOptions,
} from '../../../src/jobs/crawl/scope.ts';
import { SKIP_REASONS } from '../../../src/jobs/crawl/skip-reason.ts';
import type { UrlPatterns } from '../../../src/patterns/url-patterns.ts';

const START = 'https://example.com/';
const at = (url: string, rest: Partial<LinkSource> = {}): LinkSource => ({ url, depth: 0, ...rest });
/** The address that a link becomes, or the name of why it is left out. */
const outcome = (verdict: ScopeDecision) => ('skipReason' in verdict ? verdict.skipReason : verdict.url);

type Options = Partial<ScopeOptions> & UrlPatterns;

function judge(link: string, options: Options = {}, from: Partial<LinkSource> = {}): ScopeDecision {
  const startUrl = options.startUrl ?? START;
  const decision = createScope({ startUrl, ...options }).checkLink(link, at(startUrl, from));
  return new PathPatterns(options).applyAtOnce([decision])[0]!;
}
const follow = (...given: Parameters<typeof judge>) => outcome(judge(...given));

describe('a link', () => {
  it.each([
    ['/a', 'https://example.com/a'],
    ['a/b?c=1', 'https://example.com/a/b?c=1'],
    ['https://www.example.com/a', 'https://www.example.com/a'],
    ['http://example.com/a', 'http://example.com/a'],
    ['//example.com/a', 'https://example.com/a'],
    ['/a#part', 'https://example.com/a'],
    ['/#/users', 'https://example.com/#/users'],
    ['#!users', 'https://example.com/#!users'],
    ['?page=2#top', 'https://example.com/?page=2'],
    ['/report.pdf', 'https://example.com/report.pdf'],
    ['/report.docx', 'https://example.com/report.docx'],
    ['/feed.xml', 'https://example.com/feed.xml'],
    ['/page.html?file=a.png', 'https://example.com/page.html?file=a.png'],
    ['/a.png/page', 'https://example.com/a.png/page'],
    ['/mp3', 'https://example.com/mp3'],
    ['#part', 'anchor'],
    ['https://example.com/#part', 'anchor'],
    ['mailto:a@example.com', 'scheme'],
    ['tel:123', 'scheme'],
    ['javascript:void(0)', 'scheme'],
    ['data:text/html,a', 'scheme'],
    ['ftp://example.com/', 'scheme'],
    ['http://[', 'unparsable'],
    [`/${'a'.repeat(8_192)}`, 'unparsable'],
    ['/photo.JPG', 'fileType'],
    ['/archive.tar.gz?v=1', 'fileType'],
    ['/font.woff2', 'fileType'],
    ['https://other.example/a', 'external'],
    ['https://example.com:8443/a', 'external'],
    ['https://example.com.evil.test/', 'external'],
    ['https://notexample.com/', 'external'],
    ['https://blog.example.com/a', 'subdomain'],
  ])('to %s is judged as %s', (link, expected) => {
    expect(follow(link)).toBe(expected);
  });

  it('is one click deeper than its page', () => {
    expect(judge('/a', {}, { depth: 3 })).toEqual({
      url: 'https://example.com/a',
      depth: 4,
      external: false,
    });
  });

  it.each([
    [0, 0, 'depth'],
    [1, 0, 'https://example.com/a'],
    [1, 1, 'depth'],
    [2, 1, 'https://example.com/a'],
  ])('with maxDiscoveryDepth %s on a page of depth %s: %s', (maxDiscoveryDepth, depth, expected) => {
    expect(follow('/a', { maxDiscoveryDepth }, { depth })).toBe(expected);
  });
});

describe('the start path', () => {
  it.each([
    ['/docs', '/docs', true],
    ['/docs', '/docs/', true],
    ['/docs', '/docs?page=2', true],
    ['/docs', '/docs/a/b', true],
    ['/docs', '/docs/index.html', true],
    ['/docs', '/documents', false],
    ['/docs', '/docs-old/a', false],
    ['/docs', '/docs.html', false],
    ['/docs', '/Docs/a', false],
    ['/docs', '/', false],
    ['/docs/', '/docs', true],
    ['/docs/', '/docs/a', true],
    ['/docs/', '/documents', false],
    ['/docs/index.html', '/docs/a', true],
    ['/docs/index.html', '/docs/', true],
    ['/docs/index.html', '/about', false],
    ['/docs/intro.html', '/docs/other.html', false],
    ['/docs?version=2', '/docs/a', true],
    ['/%7Euser/', '/~user/a', true],
    ['/ü', '/%C3%BC/a', true],
    ['/', '/anything', true],
    ['/index.php', '/anything', true],
    ['/#/app', '/anything', true],
  ])('%s holds %s: %s', (path, link, inside) => {
    const startUrl = new URL(path, START).href;
    const expected = inside ? new URL(link, START).href : 'startPath';
    expect(follow(`https://example.com${link}`, { startUrl })).toBe(expected);
    expect(follow(`https://www.example.com${link}`, { startUrl, crawlEntireDomain: true })).toContain(
      'example.com/',
    );
  });

  it('applies to the start host only', () => {
    const options = { startUrl: `${START}docs`, allowSubdomains: true, allowExternalLinks: true };
    expect(follow('https://blog.example.com/a', options)).toBe('https://blog.example.com/a');
    expect(follow('https://other.example/a', options)).toBe('https://other.example/a');
    expect(follow('http://www.example.com/about', options)).toBe('startPath');
  });
});

describe('subdomains', () => {
  const allowed = { allowSubdomains: true };

  it.each([
    [START, 'https://blog.example.com/'],
    [START, 'https://a.b.example.com/x'],
    ['https://docs.example.com/', 'https://example.com/a'],
    ['https://docs.example.com/', 'https://blog.example.com/a'],
    ['https://www.example.co.uk/', 'https://shop.example.co.uk/a'],
  ])('of %s: %s belongs to the site', (startUrl, link) => {
    expect(judge(link, { startUrl, ...allowed })).toEqual({ url: link, depth: 1, external: false });
    expect(follow(link, { startUrl })).toBe('subdomain');
  });

  it.each([
    ['https://example.co.uk/', 'https://other.co.uk/a'],
    ['https://me.github.io/', 'https://you.github.io/a'],
    ['https://me.blogspot.com/', 'https://blogspot.com/a'],
    ['http://127.0.0.1/', 'http://127.0.0.2/a'],
    ['http://localhost/', 'http://wiki/a'],
    ['http://localhost:3000/', 'http://localhost:4000/a'],
  ])('of %s: %s is another site', (startUrl, link) => {
    expect(follow(link, { startUrl, ...allowed })).toBe('external');
  });
});

describe('external links', () => {
  const allowed = { allowExternalLinks: true };

  it.each([
    ['https://other.example/post', 'https://other.example/post'],
    ['https://other.example/?id=1', 'https://other.example/?id=1'],
    ['https://blog.example.com/post', 'https://blog.example.com/post'],
    ['https://me.github.io/post', 'https://me.github.io/post'],
    ['https://other.example', 'externalHomepage'],
    ['https://www.other.example/index.html?utm_source=a', 'externalHomepage'],
    ['https://blog.example.com/', 'externalHomepage'],
    ['https://www.facebook.com/page', 'socialMedia'],
    ['https://de.linkedin.com/in/someone', 'socialMedia'],
    ['https://github.com/owner/repo', 'socialMedia'],
    ['https://x.com/someone', 'socialMedia'],
    ['https://discord.gg/abc', 'socialMedia'],
    ['mailto:a@other.example', 'scheme'],
    ['https://other.example/a.zip', 'fileType'],
  ])('such as %s are judged as %s', (link, expected) => {
    expect(follow(link, allowed)).toBe(expected);
  });

  it('are marked, and their own links are not followed', () => {
    expect(judge('https://other.example/a', allowed)).toMatchObject({ external: true, depth: 1 });
    const from = { url: 'https://other.example/a', depth: 1, isExternal: true };
    expect(follow('/b', allowed, from)).toBe('externalHop');
    expect(follow('https://example.com/b', allowed, from)).toBe('externalHop');
  });

  it('include the pages of a social media site that is crawled itself', () => {
    const startUrl = 'https://github.com/owner';
    expect(follow('https://github.com/owner/repo', { ...allowed, startUrl })).toBe(
      'https://github.com/owner/repo',
    );
  });

  it('include hosts of the same domain, unless those belong to the site', () => {
    expect(judge('https://blog.example.com/a', allowed)).toMatchObject({ external: true });
    expect(judge('https://blog.example.com/a', { ...allowed, allowSubdomains: true })).toMatchObject({
      external: false,
    });
  });
});

describe('patterns', () => {
  it.each([
    [['^/blog/'], [], '/blog/a', '/blog/a'],
    [['^/blog/'], [], '/about', 'notIncluded'],
    [['blog'], [], '/my-blog', '/my-blog'],
    [['^/blog$'], [], '/blog?page=2', '/blog?page=2'],
    [['page=2'], [], '/blog?page=2', 'notIncluded'],
    [['^/a', '^/b'], [], '/b', '/b'],
    [[], ['/private/'], '/x/private/y', 'excluded'],
    [[], ['/private/'], '/x', '/x'],
    [['^/blog/'], ['\\d{4}'], '/blog/2024', 'excluded'],
    [['(?i)^/BLOG'], [], '/blog', '/blog'],
    [['^/über'], [], '/%C3%BCber-uns', '/%C3%BCber-uns'],
    [['^/%C3%BCber'], [], '/über-uns', '/%C3%BCber-uns'],
    [[], ['^/über'], '/über-uns', 'excluded'],
    [['^/%E0%'], [], '/%E0%A4%A', '/%E0%A4%A'],
    [[], ['a'], '/photo.png', 'fileType'],
  ])('that include %j and exclude %j judge %s as %s', (includePaths, excludePaths, link, expected) => {
    const whole = expected.startsWith('/') ? `https://example.com${expected}` : expected;
    expect(follow(link, { includePaths, excludePaths })).toBe(whole);
  });

  it('apply to the whole URL with regexOnFullURL', () => {
    const options = { includePaths: ['^https://example\\.com/blog\\?page=\\d+$'], regexOnFullURL: true };
    expect(follow('/blog?page=2#part', options)).toBe('https://example.com/blog?page=2');
    expect(follow('/blog', options)).toBe('notIncluded');
  });

  it('apply to pages of other hosts too', () => {
    const options = { includePaths: ['^/blog'], allowExternalLinks: true };
    expect(follow('https://other.example/blog/a', options)).toBe('https://other.example/blog/a');
    expect(follow('https://other.example/shop', options)).toBe('notIncluded');
  });

  it('that are invalid are an error', () => {
    expect(() => new PathPatterns({ includePaths: ['('] })).toThrow(
      expect.objectContaining({
        code: 'BAD_REQUEST',
        message: expect.stringMatching(/"\(" cannot be read: missing closing \)/),
      }),
    );
  });
});

describe('a URL that is not a link', () => {
  const scope = createScope({ startUrl: `${START}docs`, maxDiscoveryDepth: 2 });

  it.each([
    [`${START}docs/a#part`, `${START}docs/a`],
    [`${START}about`, 'startPath'],
    ['https://other.example/docs/a', 'external'],
    ['/docs/a', 'unparsable'],
    ['no address', 'unparsable'],
  ])('such as %s is judged as %s', (url, expected) => {
    expect(outcome(scope.checkPage(url))).toBe(expected);
  });

  it('is of depth 0 by default', () => {
    expect(scope.checkPage(`${START}docs/a`)).toMatchObject({ depth: 0 });
    expect(scope.checkPage(`${START}docs/a`, 2)).toMatchObject({ depth: 2 });
    expect(outcome(scope.checkPage(`${START}docs/a`, 3))).toBe('depth');
  });
});

it('every skip reason is explained in sentences', () => {
  for (const [reason, text] of Object.entries(SKIP_REASONS)) expect(text, reason).toMatch(/^[A-Z].{20,}\.$/);
});
