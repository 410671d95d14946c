import { isJsonObject } from '../../../json/json-object.ts';
import { cookieTextOf } from '../cookie-text.ts';
import { isShort } from '../examples.ts';
import { adviseOnCountry, adviseOnLanguage } from '../place-words.ts';
import { adviseOnWait } from '../wait-words.ts';
import { isOff, json, type Meanings, selectorsOf, textOr } from './meaning.ts';

/** Whether a value has a selector for each name, as a text or in an object. */
const areRules = (value: unknown): value is object =>
  isJsonObject(value) &&
  Object.values(value).length > 0 &&
  Object.values(value).every(
    (each) => typeof each === 'string' || (isJsonObject(each) && 'selector' in each),
  );

/** Says how long a page is waited for, or what for. */
const adviseOnTimeOrWait = (value: unknown): string =>
  typeof value === 'number' ? 'Use waitFor, in milliseconds.' : adviseOnWait(value);

/** A JSON Schema of texts with the names that rules for selectors have, or with an example. */
function schemaOfNames(rules: unknown): object {
  const names = areRules(rules) && isShort(rules) ? Object.keys(rules) : [];
  const properties = (names.length ? names : ['name']).map((name) => [name, { type: 'string' }]);
  return { type: 'object', properties: Object.fromEntries(properties) };
}

/** Options of the scrape of a page. */
export const SCRAPE_MEANINGS: readonly Meanings[] = [
  {
    beside: 'waitFor',
    advice: {
      'screenshot selector':
        'Use formats: ["screenshot"] for the visible part of the page, or [{"type":"screenshot","fullPage":true}] for all of it: there are no screenshots of elements.',
      'user agent|useragent': 'Use headers: {"User-Agent": …}.',
      'wait|ready selector': adviseOnTimeOrWait,
      'wait|delay|ready load|state|idle|network|dom|event':
        'Leave it out: a browser waits until the page is quiet. For more time, use waitFor, in milliseconds.',
      'goto|navigation|navigate':
        'Leave it out: a browser waits until the page is quiet. The time limit is timeout, and more time to wait waitFor, both in milliseconds.',
      'wait timeout':
        'Use waitFor for more time before the page is read, and timeout for the limit of the whole request, both in milliseconds.',
      timeout: 'Use timeout, the limit of the whole request in milliseconds.',
      click: (value) =>
        `Use actions: [${json({ type: 'click', selector: textOr(value, '#more'), all: true })}].`,
      scroll: 'Use actions: [{"type":"scroll","direction":"down"}].',
      'wait|delay': adviseOnTimeOrWait,
      'param|parameter|querystring':
        'Leave it out, and write it into the URL, such as https://example.com/?q=tea.',
      retry: 'Leave it out: the service decides by itself which failures are worth another try.',
      'cookie banner|warning|popup|consent|notice|dialog|overlay|modal':
        'Leave it out: blockAds, which is on by default, removes cookie notices.',
      'banner|popup|consent|overlay|modal|ad|advertisement|adblock|tracker':
        'Use blockAds, which is true by default and removes advertisements and cookie notices.',
      '=profile|name|id|browser|chrome': (value) => `Use profile: ${json({ name: textOr(value, 'shop') })}.`,
      'session|persist|persistent|storage':
        'Use profile: {"name": "shop"}, which keeps cookies and logins between scrapes.',
      cookie: (value) => `Use headers: ${json({ Cookie: cookieTextOf(value) ?? 'name=value' })}.`,
      'authentication|bearer':
        'Use headers: {"Authorization": "Basic …"}, with Base64 of user:password, or {"Authorization": "Bearer …"}. For a login by form, use actions.',
      header: (value) =>
        typeof value === 'boolean'
          ? 'Leave it out, and use headers: {"Accept-Language": "de"}, which are sent as they are.'
          : 'Use headers, such as {"Accept-Language": "de"}.',
      'referer|referrer': (value) =>
        `Use headers: ${json({ Referer: textOr(value, 'https://example.com') })}.`,
      'certificate|http error|exclude|certificate':
        'Use skipTlsVerification: true to accept invalid certificates, false to refuse them.',
      ocr: (value) => `Use parsers: ${json([{ type: 'pdf', mode: isOff(value) ? 'fast' : 'ocr' }])}.`,
      'pdf parse': 'Use parsers: ["pdf"] to convert a PDF, [] to get it as base64.',
      'cache store|write|save': 'Use storeInCache, which is true or false.',
      'cache|fresh|refresh|stale': (value) =>
        typeof value === 'number'
          ? 'Use maxAge, the age in milliseconds that a cached copy may have.'
          : isOff(value)
            ? 'Use maxAge: 0, which reads the page now.'
            : 'Use maxAge: 0 to read the page now, or an age in milliseconds that a cached copy may have.',
      'proxy country': adviseOnCountry,
      'proxy pool|tier|type|mode|kind|class': 'Use proxy: "basic", "enhanced" or "auto".',
      'proxy|proxies|proxyurl':
        'Use proxy: "basic", "enhanced" or "auto". The operator sets the proxy servers, with WINNOW_PROXIES_BASIC and WINNOW_PROXIES_ENHANCED.',
      'stealth|captcha|antibot|bot|asp|unblock|unlocker|magic|cloudflare|undetected|fingerprint|zone|residential|premium|super|ultra':
        'Use proxy: "enhanced" for sites that refuse others. Captchas are not solved.',
      'latitude|longitude|coordinate|timezone|tz':
        'Use location: {"country": "DE"}, which sets the time zone and the place too.',
      language: adviseOnLanguage,
      'country|location': adviseOnCountry,
      'scale|dpr|factor|pixel': 'Leave it out: there is no option for the scale of screenshots.',
      'viewport|width|height':
        'Use formats: [{"type":"screenshot","viewport":{"width":1280,"height":720}}] for a screenshot of that size. For a small screen, use mobile: true.',
      mobile: 'Use mobile: true.',
      'full screenshot': 'Use formats: [{"type":"screenshot","fullPage":true}].',
      screenshot: 'Use formats: ["screenshot"].',
      action:
        'Use actions, a list such as [{"type":"click","selector":"#more"},{"type":"wait","milliseconds":1000}].',
      script: (value) =>
        typeof value === 'boolean'
          ? 'Leave it out: a page that scripts build is opened in a browser by itself. fastMode: true never opens one.'
          : `Use actions: [${json({ type: 'executeJavascript', script: textOr(value, 'document.title') })}].`,
      'render|headless|browser|engine|chrome|chromium|playwright|puppeteer|dynamic':
        'Leave it out: a page that scripts build is opened in a browser by itself. fastMode: true never opens one.',
      'resource|stylesheet|font|media|asset|intercept':
        'Leave it out: what a browser loads is chosen by the service. fastMode: true opens none and loads only the page.',
      'base64 image': 'Use removeBase64Images, which is true by default.',
      'exclude image|img|picture': 'Use excludeTags: ["img"].',
      'external|internal|domain exclude|include|link':
        'Leave it out: the markdown has all links of the page. excludeTags, a list of CSS selectors such as ["a[href^=http]"], removes some with their texts.',
      'exclude link|anchor|href': 'Use excludeTags: ["a"], which also removes the texts of links.',
      'image|link keep|include|with|preserve|retain': (value) =>
        isOff(value)
          ? 'Use excludeTags: ["img"] without images, or ["a"] without links and their texts.'
          : 'Leave it out: links and images are in the markdown by themselves.',
      'exclude header|footer|nav|navigation|sidebar|boilerplate':
        'Use onlyMainContent: true, which is the default.',
      'readability|readable|article|main|boilerplate|reader|clean|prune|fit':
        'Use onlyMainContent: true, which is the default.',
      'exclude selector|form|word': (value) => `Use excludeTags: ${selectorsOf(value, 'nav')}.`,
      'parse rule|rules|schema|strategy|type|auto|field|data|mode|query|spec': (value) =>
        `Use formats: [{"type":"json","schema":${json(schemaOfNames(value))}}], and [{"type":"attributes","selectors":[{"selector":"a","attribute":"href"}]}] for attributes by CSS selectors.`,
      'json css|selector':
        'Use formats: [{"type":"attributes","selectors":[{"selector":"a","attribute":"href"}]}] for attributes by CSS selectors, or [{"type":"json","schema":{"type":"object","properties":{"name":{"type":"string"}}}}] for data by names.',
      'ai|llm query|question|prompt|instruction|extract': (value) =>
        `Use formats: [${json({ type: 'json', prompt: textOr(value, 'The names and prices of all products') })}].`,
      'system prompt':
        'Leave it out, and say all of it in the prompt: formats: [{"type":"json","prompt":…}].',
      'prompt|schema|parse': (value) =>
        areRules(value)
          ? `Use formats: ${json([{ type: 'json', schema: schemaOfNames(value) }])}.`
          : `Use formats: ${json([{ type: 'json', prompt: textOr(value, 'The names and prices of all products') }])}, or with "schema", a JSON Schema.`,
      selector: (value) => `Use includeTags: ${selectorsOf(value, 'main')}, a list of CSS selectors.`,
      '=source': (value) =>
        typeof value === 'string' && !/html|raw|code/i.test(value)
          ? 'Leave it out: a page of any site is scraped by its url alone. POST /v2/search searches the web.'
          : 'Use formats: ["rawHtml"], the HTML as the site sent it.',
      'raw|http body|html|content|source': 'Use formats: ["rawHtml"], the HTML as the site sent it.',
      'content|media|mime type': 'Use formats, a list such as ["markdown"].',
      format: 'Use formats, a list such as ["markdown"].',
      'language_model|model': 'Leave it out: the operator of the service chooses the language model.',
      redirect: 'Leave it out: redirects are followed.',
      'encoding|charset': 'Leave it out: the encoding of a page is detected.',
      'chunk|chunking|split|overlap|embedding|word|threshold|token|min|length':
        'Leave it out: the text of a page comes whole, in one piece.',
      'metadata|label|userdata|tag|note':
        'Leave it out: a scrape keeps no data of the caller. Its id is in metadata.scrapeId of the result.',
      'body|payload|post':
        'Leave it out: pages are read with GET. To fill in a form, use actions, such as click, write and press.',
      'pii|privacy|anonymize|redact|mask': 'Use redactPII: true.',
    },
  },
  {
    beside: 'url',
    advice: {
      '=url|uri|link|website|site|address|href|target|source|input|start|begin|seed|list|first|web|entry|point|item':
        'Use url, one URL such as "https://example.com". POST /v2/batch/scrape takes several, in urls.',
    },
  },
];
