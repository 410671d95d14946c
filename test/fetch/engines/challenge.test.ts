import { describe, expect, it } from 'vitest';
import { isBlocked } from '../../../src/fetch/engines/page-checks/blocked.ts';
import { detectChallenge } from '../../../src/fetch/engines/page-checks/challenge.ts';

const html = (text: string) => ({ kind: 'html' as const, text });
const page = (head: string, body: string) =>
  html(`<!doctype html><html><head>${head}</head><body>${body}</body></html>`);
const ARTICLE = `<main><h1>How captchas work</h1><p>${'They ask whether you are a robot, to verify you are human. '.repeat(400)}</p></main>`;

describe('a challenge', () => {
  it.each([
    [
      'cloudflare',
      page(
        '<title>Just a moment...</title>',
        '<noscript>Enable JavaScript and cookies to continue</noscript><script>(function(){window._cf_chl_opt={cvId: "3",cType: "managed"};var a=document.createElement("script");a.src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1";}());</script>',
      ),
    ],
    [
      'cloudflare',
      page(
        '<title>Just a moment...</title>',
        '<form class="challenge-form" id="challenge-form" action="/?__cf_chl_f_tk=x" method="POST"></form>',
      ),
    ],
    [
      'cloudflare',
      page('<title>Attention Required! | Cloudflare</title>', '<h1>Sorry, you have been blocked</h1>'),
    ],
    [
      'datadome',
      page(
        '<title>site.test</title>',
        '<p id="cmsg">Please enable JS and disable any ad blocker</p><script>var dd={"rt":"c","cid":"AHr","hsh":"1","t":"bv","host":"geo.captcha-delivery.com"}</script><script src="https://ct.captcha-delivery.com/c.js"></script>',
      ),
    ],
    [
      'perimeterx',
      page(
        '<title>Access to this page has been denied</title>',
        '<div id="px-captcha"></div><script>window._pxAppId = "PX1";</script>',
      ),
    ],
    [
      'perimeterx',
      page(
        '<title>Access denied</title>',
        '<script>window._pxUuid = "a-b";window._pxVid = "";var s = "https://captcha.px-cdn.net/PX1/captcha.js"</script>',
      ),
    ],
    [
      'imperva',
      page(
        '<meta name="robots" content="noindex,nofollow">',
        '<iframe id="main-iframe" src="/_Incapsula_Resource?CWUDNSAI=9" width="100%">Request unsuccessful. Incapsula incident ID: 1-2</iframe>',
      ),
    ],
    [
      'aws-waf',
      page(
        '<script>window.gokuProps = {"key":"A"};</script>',
        '<script>AwsWafIntegration.saveReferrer();</script>',
      ),
    ],
    [
      'akamai',
      page(
        '<TITLE>Access Denied</TITLE>',
        "<H1>Access Denied</H1>You don't have permission<P>Reference #18 <P>https://errors.edgesuite.net/18.1</P>",
      ),
    ],
    [
      'kasada',
      html(
        '<html><head></head><body><script>window.KPSDK={};KPSDK.now=Date.now</script><script src="/149e9513-01fa-4fb0-aad4-566afd725d1b/2d206a39/ips.js?x=1"></script></body></html>',
      ),
    ],
    [
      'captcha',
      page(
        '<title>Robot check</title>',
        '<h1>Please verify you are human</h1><form><div class="g-recaptcha" data-sitekey="x"></div></form>',
      ),
    ],
    [
      'imperva',
      page(
        '',
        '<div id="main-iframe" src="/_Incapsula_Resource?CWUDNSAI=9" data-original-tag="iframe"><p>Why am I seeing this page?</p></div>',
      ),
    ],
    [
      'datadome',
      page(
        '<title>site.test</title>',
        `<div src="https://geo.captcha-delivery.com/captcha/?cid=1" data-original-tag="iframe"><p>${'Slide right. '.repeat(200)}</p><input name="audio"></div>`,
      ),
    ],
    [
      'anubis',
      page(
        '<title>Making sure you&#39;re not a bot!</title><script id="anubis_challenge" type="application/json">{}</script>',
        '<h1>Making sure you&#39;re not a bot!</h1>',
      ),
    ],
    [
      'sucuri',
      page('<title>You are being redirected...</title>', '<script>var sucuri_cloudproxy_js = "";</script>'),
    ],
    [
      'f5',
      page('<title>Request Rejected</title>', 'Please consult your administrator. Your support ID is: 1'),
    ],
    ['ddos-guard', page('<title>DDoS-Guard</title>', '<h1>Checking your browser</h1>')],
    ['vercel', page('<title>Vercel Security Checkpoint</title>', "We're verifying your browser")],
    [
      'amazon',
      page(
        '<title>Shop</title>',
        '<form action="/errors/validateCaptcha"><img src="/captcha/1.jpg"><input id="captchacharacters" name="field-keywords"></form>',
      ),
    ],
    [
      'yandex',
      page('<title>Oops</title>', '<form><div class="CheckboxCaptcha" role="checkbox"></div></form>'),
    ],
    [
      'captcha',
      page(
        '<title>Security check</title>',
        `<header><nav>${'<a href="/">Department</a>'.repeat(200)}</nav><form><input name="search"></form></header>
         <p>Type the characters that you see.</p><form><img src="/captcha.png"><input name="captcha"></form>`,
      ),
    ],
    [
      'captcha',
      page(
        '<title>Security check</title>',
        `<header>${'<a href="/">Department</a>'.repeat(1_000)}</header>
         <p>Type the characters that you see.</p><form><img src="/captcha.png"><input name="captcha"></form>`,
      ),
    ],
    [
      'captcha',
      page(
        '<title>Are you a robot?</title>',
        `<div title="reCAPTCHA" src="https://www.google.com/recaptcha/api2/anchor?size=normal" data-original-tag="iframe"><p>${'Pick all pictures. '.repeat(1_000)}</p></div>`,
      ),
    ],
  ])('of %s is certain', (maker, challenge) => {
    expect(detectChallenge(challenge)).toEqual({ maker, isCertain: true });
  });

  it.each([
    [
      'a captcha and a word in any language',
      page('<title>Hallo</title>', '<p>Bitte!</p><div class="h-captcha"></div>'),
    ],
    [
      'a search engine that only says it is sorry',
      page(
        '<title>Sorry</title>',
        '<div class="box h-captcha"></div>Our systems have detected unusual traffic from your network.',
      ),
    ],
    [
      'a download behind a captcha',
      page(
        '<title>Editor 2.0</title>',
        '<h1>Download</h1><p>12 MB, for Linux.</p><form><p>Prove you are human</p><div class="g-recaptcha"></div></form>',
      ),
    ],
    [
      'a page that says other things too',
      page(
        '<title>Downloads</title>',
        `<h1>Editor 2.0</h1><p>${'It edits. '.repeat(60)}</p><p>Prove you are human:</p><form><div class="g-recaptcha"></div></form>`,
      ),
    ],
    [
      'a page with fields of its own, though somebody marks challenges so',
      page('<title>Log in</title>', '<form><input name="user"></form><div id="px-captcha"></div>'),
    ],
  ])('may be: %s', (_name, doubtful) => {
    expect(detectChallenge(doubtful)?.isCertain).toBe(false);
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
    [
      'a short contact form that asks whether you are human',
      page(
        '<title>Contact</title>',
        '<h1>Write to us</h1><form><input name="mail"><textarea name="text"></textarea><p>Confirm that you are human</p><div class="g-recaptcha"></div></form>',
      ),
    ],
    [
      'a form to log in that is watched',
      page(
        '<title>Security check</title>',
        '<form><input type="password" name="p"><div class="cf-turnstile"></div>I’m not a robot</form>',
      ),
    ],
    [
      'a page with an invisible captcha',
      page('<title>Hi</title>', '<p>Welcome.</p><div class="g-recaptcha" data-size="invisible"></div>'),
    ],
    [
      'a page with the badge of a captcha',
      page(
        '<title>Hi</title>',
        '<p>Welcome.</p><div class="grecaptcha-badge"><div src="https://www.google.com/recaptcha/api2/anchor?size=invisible" data-original-tag="iframe">protected by reCAPTCHA</div></div>',
      ),
    ],
    [
      'a page that loads a captcha for later',
      page(
        '<title>Hi</title><script src="https://www.google.com/recaptcha/api.js"></script>',
        '<p>Welcome.</p>',
      ),
    ],
    ['an article, whoever marks challenges so', page('<script>window._cf_chl_opt = {};</script>', ARTICLE)],
    [
      'an article in a header that never ends',
      page('<script>window._cf_chl_opt={}</script>', `<header>${ARTICLE}`),
    ],
    [
      'a coding challenge',
      page('<title>Task 1</title>', '<form id="challenge-form"><button>Go</button></form>'),
    ],
    ['a page called "Just a moment"', page('<title>Just a moment: a novel</title>', ARTICLE)],
    ['a page on access', page('<title>Access denied</title>', ARTICLE)],
  ])('is not: %s', (_name, ordinary) => {
    expect(detectChallenge(ordinary)).toBeUndefined();
  });

  it('is never JSON or plain text', () => {
    for (const kind of ['json', 'text', 'base64'] as const)
      expect(detectChallenge({ kind, text: 'window._cf_chl_opt' })).toBeUndefined();
  });

  it('is detected in bounded time', () => {
    const hostile = [
      '_pxUuid=;',
      '<title>access denied</title>',
      '<iframe',
      'class="',
      'window.KPSDK={}',
      'verify  ',
      '<div captcha data-original-tag="iframe" ',
      '<form><div class="g-recaptcha">',
      ' class=captcha src=captcha name=captcha',
      '<h1><title>',
    ];
    for (const piece of hostile) {
      const text = `<p class="g-recaptcha">${'x'.repeat(2_000)}</p>${piece.repeat(990_000 / piece.length)}`;
      expect(detectChallenge(html(text)), piece).toBeUndefined();
    }
  });
});

it.each([
  [401, true],
  [403, true],
  [429, true],
  [404, false],
  [503, false],
  [200, false],
])('status %i counts as blocked: %s', (statusCode, expected) => {
  expect(isBlocked({ statusCode } as never)).toBe(expected);
});

it('a challenge counts as blocked, whatever its status', () => {
  expect(isBlocked({ statusCode: 200, challenge: { maker: 'captcha', isCertain: false } } as never)).toBe(
    true,
  );
});
