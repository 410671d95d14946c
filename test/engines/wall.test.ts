import { describe, expect, it } from 'vitest';
import { isChallenge, isWall } from '../../src/engines/wall.ts';

const html = (text: string) => ({ kind: 'html' as const, text });
const page = (head: string, body: string) =>
  html(`<!doctype html><html><head>${head}</head><body>${body}</body></html>`);
const ARTICLE = `<main><h1>How captchas work</h1><p>${'They ask whether you are a robot, to verify you are human. '.repeat(400)}</p></main>`;

describe('a challenge', () => {
  it.each([
    [
      'Cloudflare',
      page(
        '<title>Just a moment...</title>',
        '<noscript>Enable JavaScript and cookies to continue</noscript><script>(function(){window._cf_chl_opt={cvId: "3",cType: "managed"};var a=document.createElement("script");a.src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1";}());</script>',
      ),
    ],
    [
      'Cloudflare, an older one',
      page(
        '<title>Just a moment...</title>',
        '<form class="challenge-form" id="challenge-form" action="/?__cf_chl_f_tk=x" method="POST"></form>',
      ),
    ],
    [
      'Cloudflare, a block',
      page('<title>Attention Required! | Cloudflare</title>', '<h1>Sorry, you have been blocked</h1>'),
    ],
    [
      'DataDome',
      page(
        '<title>site.test</title>',
        '<p id="cmsg">Please enable JS and disable any ad blocker</p><script>var dd={"rt":"c","cid":"AHr","hsh":"1","t":"bv","host":"geo.captcha-delivery.com"}</script><script src="https://ct.captcha-delivery.com/c.js"></script>',
      ),
    ],
    [
      'PerimeterX',
      page(
        '<title>Access to this page has been denied</title>',
        '<div id="px-captcha"></div><script>window._pxAppId = "PX1";</script>',
      ),
    ],
    [
      'PerimeterX, by its script',
      page(
        '<title>Access denied</title>',
        '<script>window._pxUuid = "a-b";window._pxVid = "";var s = "https://captcha.px-cdn.net/PX1/captcha.js"</script>',
      ),
    ],
    [
      'Imperva',
      page(
        '<meta name="robots" content="noindex,nofollow">',
        '<iframe id="main-iframe" src="/_Incapsula_Resource?CWUDNSAI=9" width="100%">Request unsuccessful. Incapsula incident ID: 1-2</iframe>',
      ),
    ],
    [
      'AWS WAF',
      page(
        '<script>window.gokuProps = {"key":"A"};</script>',
        '<script>AwsWafIntegration.saveReferrer();</script>',
      ),
    ],
    [
      'Akamai',
      page(
        '<TITLE>Access Denied</TITLE>',
        "<H1>Access Denied</H1>You don't have permission<P>Reference #18 <P>https://errors.edgesuite.net/18.1</P>",
      ),
    ],
    [
      'Kasada',
      html(
        '<html><head></head><body><script>window.KPSDK={};KPSDK.now=Date.now</script><script src="/149e9513-01fa-4fb0-aad4-566afd725d1b/2d206a39/ips.js?x=1"></script></body></html>',
      ),
    ],
    [
      'a captcha page',
      page(
        '<title>Robot check</title>',
        '<h1>Please verify you are human</h1><form><div class="g-recaptcha" data-sitekey="x"></div></form>',
      ),
    ],
    [
      'a search engine',
      page(
        '<title>Sorry</title>',
        '<div class="box h-captcha"></div>Our systems have detected unusual traffic from your network.',
      ),
    ],
  ])('of %s is known', (_name, challenge) => {
    expect(isChallenge(challenge)).toBe(true);
    expect(isWall({ ...challenge, statusCode: 200 } as never)).toBe(true);
  });

  it.each([
    [
      'a page behind Cloudflare',
      page(
        '<title>Shop</title>',
        `${ARTICLE}<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>`,
      ),
    ],
    ['a page watched by DataDome', page('<script src="https://js.datadome.co/tags.js"></script>', ARTICLE)],
    [
      'a page watched by PerimeterX',
      page(
        '<script>window._pxAppId="PX1"</script><script src="https://client.px-cdn.net/PX1/main.min.js"></script>',
        ARTICLE,
      ),
    ],
    ['a page behind Imperva', page('<script src="/_Incapsula_Resource?SWJIYLWA=719"></script>', ARTICLE)],
    [
      'a page behind AWS WAF',
      page('<script src="https://a.token.awswaf.com/a/challenge.js" defer></script>', ARTICLE),
    ],
    [
      'a form with a captcha',
      page(
        '<title>Contact</title>',
        '<h1>Write to us</h1><form><input name="mail"><div class="g-recaptcha"></div></form>',
      ),
    ],
    [
      'an article on captchas, with one at the comments',
      page('', `${ARTICLE}<div class="g-recaptcha"></div>`),
    ],
    ['a page called "Just a moment"', page('<title>Just a moment: a novel</title>', ARTICLE)],
    ['a page on access', page('<title>Access denied</title>', ARTICLE)],
  ])('is not: %s', (_name, ordinary) => {
    expect(isChallenge(ordinary)).toBe(false);
  });

  it('is no JSON and no text', () => {
    for (const kind of ['json', 'text', 'base64'] as const)
      expect(isChallenge({ kind, text: 'window._cf_chl_opt' })).toBe(false);
  });

  it('is found in bounded steps', () => {
    const hostile = [
      '_pxUuid=;',
      '<title>access denied</title>',
      '<iframe',
      'class="',
      'window.KPSDK={}',
      'verify  ',
    ];
    for (const piece of hostile)
      expect(isChallenge(html(piece.repeat(3_000_000 / piece.length)))).toBe(false);
  });
});

it.each([
  [401, true],
  [403, true],
  [429, true],
  [404, false],
  [503, false],
  [200, false],
])('status %i is a wall: %s', (statusCode, expected) => {
  expect(isWall({ ...html(ARTICLE), statusCode } as never)).toBe(expected);
});
