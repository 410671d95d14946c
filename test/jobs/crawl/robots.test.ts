import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createEgress } from '../../../src/fetch/net/checked-egress.ts';
import {
  fetchRobots,
  parseRobots,
  type RobotsFile,
} from '../../../src/jobs/crawl/robots/fetch-robots-txt.ts';
import { CLOSED_PORT } from '../../support/webhooks/receiver.ts';

const ORIGIN = 'https://example.com';
const robots = (body: string, token = 'Winnow', statusCode = 200) =>
  parseRobots({ url: `${ORIGIN}/robots.txt`, statusCode, body }, token);
const allows = (body: string, path: string, token?: string) => robots(body, token).allows(`${ORIGIN}${path}`);
const forAll = (...lines: string[]) => ['User-agent: *', ...lines].join('\n');

describe('a path', () => {
  // RFC 9309 2.2.2 and 2.2.3, and the precedence table that the large crawlers publish.
  it.each([
    ['/foo/bar?baz=quz', '/foo/bar?baz=quz', true],
    ['/foo/bar?baz=https://foo.bar', '/foo/bar?baz=https%3A%2F%2Ffoo.bar', false],
    ['/foo/bar/ツ', '/foo/bar/%E3%83%84', true],
    ['/foo/bar/%E3%83%84', '/foo/bar/ツ', true],
    ['/foo/bar/%e3%83%84', '/foo/bar/ツ', true],
    ['/foo/bar/%62%61%7A', '/foo/bar/baz', true],
    ['/path/file-with-a-%2A.html', '/path/file-with-a-*.html', true],
    ['/path/foo-%24', '/path/foo-$', true],
    ['/fish', '/fish.html', true],
    ['/fish', '/fishheads/yummy.html', true],
    ['/fish', '/Fish.asp', false],
    ['/fish', '/catfish', false],
    ['/fish*', '/fish.php?id=anything', true],
    ['/fish/', '/fish', false],
    ['/fish/', '/fish/?id=anything', true],
    ['/*.php', '/folder/filename.php?parameters', true],
    ['/*.php', '/windows.PHP', false],
    ['/*.php$', '/folder/filename.php', true],
    ['/*.php$', '/filename.php?parameters', false],
    ['/*.php$', '/filename.php5', false],
    ['/fish*.php', '/fishheads/catfish.php?parameters', true],
    ['/fish*.php', '/Fish.PHP', false],
    ['/*?', '/page?', true],
    ['/*?', '/page', false],
    ['/$', '/', true],
    ['/$', '/a', false],
    ['*', '/anything', true],
    ['*/private', '/a/private/b', true],
    ['/a*b*c$', '/a1b2c', true],
    ['/a*b*c$', '/a1c2b', false],
    ['/aa$', '/a', false],
    ['/a*a$', '/a', false],
    ['/a**b', '/axb', true],
    ['/a$b', '/a$b', true],
    ['/a b', '/a%20b', true],
    ["/it's?q='x'", "/it's?q='x'", true],
    ['private/', '/private/a', true],
    ['/a#remark', '/a', true],
  ])('by Disallow: %s, %s is forbidden: %s', (rule, path, forbidden) => {
    expect(allows(forAll(`Disallow: ${rule}`), path)).toBe(!forbidden);
  });

  it.each([
    [['Allow: /p', 'Disallow: /'], '/page', true],
    [['Allow: /folder', 'Disallow: /folder'], '/folder/page', true],
    [['Disallow: /folder', 'Allow: /folder'], '/folder/page', true],
    [['Allow: /page', 'Disallow: /*.htm'], '/page.htm', false],
    [['Allow: /page', 'Disallow: /*.ph'], '/page.php5', true],
    [['Allow: /$', 'Disallow: /'], '/', true],
    [['Allow: /$', 'Disallow: /'], '/page.htm', false],
    [
      ['Disallow: /', 'Allow: /example/page/', 'Disallow: /example/page/disallowed.gif'],
      '/example/page/',
      true,
    ],
    [
      ['Disallow: /', 'Allow: /example/page/', 'Disallow: /example/page/disallowed.gif'],
      '/example/page/disallowed.gif',
      false,
    ],
    [['Disallow:'], '/any', true],
    [[''], '/any', true],
  ])('by %j, %s is allowed: %s', (lines, path, allowed) => {
    expect(allows(forAll(...lines), path)).toBe(allowed);
  });

  it('of robots.txt itself is always allowed, an invalid URL never', () => {
    const none = robots(forAll('Disallow: /'));
    expect(none.allows(`${ORIGIN}/robots.txt`)).toBe(true);
    expect(none.allows(`${ORIGIN}/robots.txt.bak`)).toBe(false);
    expect(robots('').allows('no address')).toBe(false);
  });
});

describe('a group of rules', () => {
  const foreign = 'User-agent: *\nDisallow: /everyone\n\n';

  it.each([
    ['User-agent: Winnow', 'Winnow'],
    ['user-agent: WINNOW', 'winnow'],
    ['USER-AGENT:winnow', 'Winnow/2.1 (+https://example.com)'],
    ['User-Agent : Winnow/1.0 # the old one', 'Winnow'],
    ['\uFEFFUser-agent: Winnow', 'Winnow'],
    ['useragent: Winnow', 'Winnow'],
    ['User-agent: OtherBot\nUser-agent: Winnow', 'Winnow'],
    ['User-agent: Winnow\nUser-agent: OtherBot', 'Winnow'],
    // Lines that are no rules do not end the list (RFC 9309 2.2.4).
    ['User-agent: Winnow\nSitemap: https://example.com/s.xml\nUser-agent: OtherBot', 'Winnow'],
    ['User-agent: Winnow\n\nHost: example.com\nUser-agent: OtherBot', 'Winnow'],
  ])('that begins with %j is for %s', (start, token) => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = `${start}\nDisallow: /own\n\n${foreign}`.replaceAll('\n', end);
      expect(allows(text, '/own', token)).toBe(false);
      expect(allows(text, '/everyone', token)).toBe(true);
    }
  });

  it.each(['Winnower', 'Win', 'OtherBot', 'my-winnow', ''])('for %j is not for us', (name) => {
    const text = `${foreign}User-agent: ${name}\nDisallow: /other`;
    expect(allows(text, '/other')).toBe(true);
    expect(allows(text, '/everyone')).toBe(false);
  });

  it('is joined with other groups of the same name', () => {
    const text =
      'User-agent: Winnow\nDisallow: /a\n\nUser-agent: b\nDisallow: /b\n\nUser-agent: winnow\nDisallow: /c';
    expect(['/a', '/b', '/c'].map((path) => allows(text, path))).toEqual([false, true, false]);
    const everyone = 'User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /c';
    expect(['/a', '/b', '/c'].map((path) => allows(everyone, path))).toEqual([false, true, false]);
  });

  it('for Winnow without rules allows everything', () => {
    expect(allows('User-agent: *\nDisallow: /\n\nUser-agent: Winnow\nDisallow:', '/a')).toBe(true);
  });

  it('does not include rules above all groups', () => {
    expect(allows('Disallow: /\nUser-agent: *\nDisallow: /x', '/a')).toBe(true);
  });

  it('accepts the misspellings that the large crawlers accept', () => {
    expect(allows('User agent: *\nDissallow: /a', '/a')).toBe(false);
    expect(allows('User-agent: *\n__proto__: x\nconstructor: y\nDisallow: /a', '/a')).toBe(false);
  });
});

describe('a crawl delay', () => {
  it.each([
    ['User-agent: *\nCrawl-delay: 5', 5_000],
    ['User-agent: *\nCrawl-delay: 0.5', 500],
    ['User-agent: *\nCrawl-delay: 3600', 60_000],
    ['User-agent: *\nCrawl-delay: 2\nCrawl-delay: 7', 7_000],
    ['User-agent: Winnow\nCrawl-delay: 3\nUser-agent: *\nCrawl-delay: 9', 3_000],
    ['User-agent: Winnow\nDisallow:\nUser-agent: *\nCrawl-delay: 9', undefined],
    ['User-agent: *\nCrawl-delay: 0', undefined],
    ['User-agent: *\nCrawl-delay: -1', undefined],
    ['User-agent: *\nCrawl-delay: soon', undefined],
    ['User-agent: *\nCrawl-delay:', undefined],
    ['User-agent: *\nCrawl-delay: Infinity', 60_000],
  ])('%j is %s', (text, delayMs) => {
    expect(robots(text).crawlDelayMs).toBe(delayMs);
  });

  it('ends the list of user agents like any rule', () => {
    expect(allows('User-agent: Winnow\nCrawl-delay: 1\nUser-agent: bad\nDisallow: /', '/a')).toBe(true);
  });
});

it('sitemaps can be named anywhere and count once for every crawler', () => {
  const text =
    'Sitemap: https://cdn.example/s.xml?a=1#b\nUser-agent: other\nSITEMAP:/map.xml\nDisallow: /\nsitemap: map.xml\nSitemap: ftp://example.com/x\nSitemap: http://[\nSitemap:';
  expect(robots(text).sitemaps).toEqual(['https://cdn.example/s.xml?a=1#b', `${ORIGIN}/map.xml`]);
});

describe('a robots.txt response', () => {
  const body = forAll('Disallow: /a', 'Sitemap: /s.xml');

  it.each([
    [200, false, true],
    [206, false, true],
    [301, true, true],
    [401, true, true],
    [404, true, true],
    [429, true, true],
  ])('of status %s allows /a: %s, /b: %s', (statusCode, a, b) => {
    const rules = robots(body, 'Winnow', statusCode);
    expect(rules.allows(`${ORIGIN}/a`)).toBe(a);
    expect(rules.allows(`${ORIGIN}/b`)).toBe(b);
    expect(rules.sitemaps).toEqual(statusCode < 300 ? [`${ORIGIN}/s.xml`] : []);
  });

  it('that is an HTML page has no rules', () => {
    expect(allows('<!doctype html><html><title>Not found: / </title></html>', '/a')).toBe(true);
  });
});

describe('a hostile robots.txt', () => {
  it('is read to 500 KiB, to the end of the last whole line', () => {
    const filler = `#${'x'.repeat(1022)}\n`.repeat(499);
    const rest = 500 * 1024 - Buffer.byteLength(forAll(filler)) - 'Disallow: /'.length;
    const text = forAll(`${filler}#${'y'.repeat(rest - 2)}`, 'Disallow: /private\nDisallow: /b');
    expect(allows(text, '/a')).toBe(true);
    expect(allows(text, '/b')).toBe(true);
    expect(allows(forAll('Disallow: /a', text), '/a')).toBe(false);
  });

  it('of nothing but stars is evaluated in bounded time', () => {
    const stars = Array.from({ length: 12 }, () => `Disallow: /${'*a'.repeat(20_000)}b`);
    expect(allows(forAll(...stars), `/${'a'.repeat(2_000)}`)).toBe(true);
  });

  it('with one endless line or thousands of groups and rules is evaluated in bounded time', () => {
    expect(allows(`User-agent: *${'*'.repeat(400_000)}`, '/a')).toBe(true);
    expect(allows(`User-agent${' '.repeat(400_000)}: *\nDisallow: /`, '/a')).toBe(false);
    const groups = Array.from(
      { length: 10_000 },
      (_, index) => `User-agent: bot${index}\nDisallow: /${index}`,
    );
    expect(allows([...groups, forAll('Disallow: /a')].join('\n'), '/a')).toBe(false);
    const rules = Array.from({ length: 20_000 }, (_, index) => `Disallow: /${index}$`);
    expect(allows(forAll(...rules), '/19999')).toBe(false);
  });
});

describe('the robots.txt of a host', () => {
  const egress = createEgress({ allowPrivate: ['127.0.0.1/32'] });
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  async function fetchFrom(answer: RequestListener, signal = AbortSignal.timeout(150_000)) {
    server = createServer(answer);
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
    const origin = `http://127.0.0.1:${port}`;
    return { origin, ...(await outcomeOf(origin, signal)) };
  }

  /** The result of a request: a file, or only its outcome. */
  async function outcomeOf(origin: string, signal = AbortSignal.timeout(150_000)) {
    const answer = await fetchRobots({ egress, origin, userAgent: 'Winnow/1.0', signal });
    return typeof answer === 'object' && 'body' in answer ? { file: answer } : { failure: answer };
  }

  /** A file that has to be there. */
  const parsed = (file: RobotsFile | undefined) => parseRobots(file!, 'Winnow');

  it('is fetched through redirects and is plain data', async () => {
    const { origin, file } = await fetchFrom((request, response) => {
      if (request.url === '/robots.txt') response.writeHead(302, { location: '/elsewhere.txt' }).end();
      else response.end(`User-agent: *\nDisallow: ${request.url} # ${request.headers['user-agent']}`);
    });
    const body = 'User-agent: *\nDisallow: /elsewhere.txt # Winnow/1.0';
    expect(file).toEqual({ url: `${origin}/elsewhere.txt`, statusCode: 200, body });
    expect(parsed(structuredClone(file)).allows(`${origin}/elsewhere.txt`)).toBe(false);
  });

  it('without an end is truncated', async () => {
    const { file } = await fetchFrom((_, response) => {
      const write = () => {
        while (response.write('Disallow: /a\n'.repeat(1_000)));
        response.once('drain', write);
      };
      write();
    });
    expect(file).toMatchObject({
      statusCode: 200,
      body: expect.stringMatching(/^(Disallow: \/a\n)*Disallow: \/a$/),
    });
    expect(file?.body.length).toBeGreaterThan(499 * 1024);
  });

  it.each([401, 404, 429])('with status %s has no body', async (status) => {
    const { origin, file } = await fetchFrom((_, response) =>
      response.writeHead(status).end('User-agent: *'),
    );
    expect(file).toEqual({ url: `${origin}/robots.txt`, statusCode: status, body: '' });
  });

  it('behind endless redirects is the last redirect, which allows everything', async () => {
    const { origin, file } = await fetchFrom((_, response) =>
      response.writeHead(301, { location: '/robots.txt' }).end(),
    );
    expect(file).toMatchObject({ statusCode: 301 });
    expect(parsed(file).allows(`${origin}/a`)).toBe(true);
  });

  it.each([500, 503, 599])(
    'is unavailable while the host responds with %s, possibly with Retry-After',
    async (status) => {
      const { origin, failure } = await fetchFrom((_, response) =>
        response.writeHead(status, { 'retry-after': '7' }).end('User-agent: *'),
      );
      expect(failure).toMatchObject({
        code: 'ROBOTS_UNAVAILABLE',
        message: `${origin}/robots.txt responded with HTTP ${status}`,
        retryAfterSeconds: 7,
      });
    },
  );

  it('is unavailable when the connection breaks', async () => {
    const unavailable = expect.objectContaining({
      code: 'ROBOTS_UNAVAILABLE',
      message: expect.stringMatching(/robots\.txt could not be read: .*closed the connection|sent less/),
    });
    expect((await fetchFrom((request) => request.socket.destroy())).failure).toEqual(unavailable);
    const cut = await fetchFrom((request, response) => {
      response.writeHead(200, { 'content-length': 1_000 }).write('User-agent: *\n');
      setImmediate(() => request.socket.destroy());
    });
    expect(cut.failure).toEqual(unavailable);
  });

  it('of an unreachable host is not awaited, because its pages fail as well', async () => {
    const closed = `127.0.0.1:${CLOSED_PORT}`;
    for (const dead of [
      `http://${closed}`,
      'http://no-such-host.invalid',
      'http://10.0.0.1',
      `https://${closed}`,
    ]) {
      expect(await outcomeOf(dead)).toEqual({ failure: 'unreachable' });
    }
  });

  it('is not awaited once the caller gives up', async () => {
    const stop = new AbortController();
    await expect(fetchFrom(() => stop.abort(new Error('enough')), stop.signal)).rejects.toThrow('enough');
  });
});
