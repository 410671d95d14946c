import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { OPERATOR_ROUTES } from '../../../src/api/operator/routes.ts';
import { ROUTES } from '../../../src/api/routes.ts';
import { validate } from '../../../src/api/validation/validate.ts';
import { ServiceError } from '../../../src/errors.ts';

const URL = 'https://a.test';

/** The error for a request that a route refuses. */
function refusalOf(route: string, request: unknown): ServiceError {
  const [method, path] = route.split(' ');
  const found = [...ROUTES, ...OPERATOR_ROUTES].find(
    (each) => each.method === method?.toLowerCase() && each.path === path,
  );
  const part = method === 'GET' ? 'query' : 'body';
  const schema = found?.[part] as z.ZodType;
  try {
    validate(schema, request, part);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error(`${route} accepts ${JSON.stringify(request)}.`);
}

const SCRAPE = 'POST /v2/scrape';
const BATCH = 'POST /v2/batch/scrape';
const CRAWL = 'POST /v2/crawl';
const SEARCH = 'POST /v2/search';
const ACTIVITY = 'GET /v2/team/activity';

type Row = [route: string, request: unknown, what: RegExp, where: RegExp, remedy: RegExp];

const ROWS: Row[] = [
  [
    SCRAPE,
    { url: URL, xpath: '//h1' },
    /-- xpath/,
    /body/,
    /Use includeTags: \["main"\], a list of CSS selectors/,
  ],
  [SEARCH, { query: 'x', page_number: 2 }, /-- page_number/, /body/, /all results come at once/],
  [SCRAPE, { url: URL, js: false }, /-- js/, /body/, /fastMode: true never opens one/],
  [SCRAPE, { url: URL, deviceScaleFactor: 2 }, /-- deviceScaleFactor/, /body/, /no option for the scale/],
  [
    SCRAPE,
    { url: URL, initialCookies: [] },
    /-- initialCookies/,
    /body/,
    /Use headers: \{"Cookie": "name=value"\}/,
  ],
  [
    SCRAPE,
    { url: URL, removeCookieWarnings: true },
    /-- removeCookie/,
    /body/,
    /blockAds, which is on by default/,
  ],
  [
    SCRAPE,
    { url: URL, clickElementsCssSelector: '.a' },
    /-- clickEl/,
    /body/,
    /"type":"click","selector":"\.a"/,
  ],
  [CRAWL, { url: URL, excludes: ['*.pdf'] }, /-- excludes/, /body/, /Use excludePaths: \["\\\\\.pdf\$"\]/],
  ['POST /v2/browser/:id/execute', { code: '1', timeoutMs: 5000 }, /-- timeoutMs/, /body/, /in seconds: 5\./],
  [SCRAPE, { url: URL, content_type: 'text/markdown' }, /-- content_type/, /body/, /Use formats, a list/],
  [SCRAPE, { url: URL, html_only: true }, /-- html_only/, /body/, /Use formats: \["html"\]/],
  [
    SCRAPE,
    { url: URL, formats: [{ type: 'markdown', selector: 'main' }] },
    /-- selector/,
    /in formats\[0\]/,
    /Beside formats: Use includeTags: \["main"\]/,
  ],
  [
    CRAWL,
    { url: URL, requestsPerSecond: 2 },
    /-- requestsPerSecond/,
    /body/,
    /Use delay, the seconds between/,
  ],
  [
    CRAWL,
    { url: URL, extract: { prompt: 'x' } },
    /-- extract/,
    /body/,
    /in scrapeOptions: \{"formats": \[\{"type":"json","prompt":"x"\}\]\}/,
  ],
  ['POST /v2/browser', { profileName: 'x' }, /-- profileName/, /body/, /Use profile: \{"name":"x"\}/],
  ['POST /v2/browser/:id/execute', { python: '1' }, /-- python/, /body/, /Use code, with language: "python"/],
  [
    SCRAPE,
    { url: URL, wait_for_timeout: 2 },
    /-- wait_for_timeout/,
    /body/,
    /Use waitFor for more time .* timeout for/,
  ],
  [SCRAPE, { url: URL, json_css: { a: 'b' } }, /-- json_css/, /body/, /"attributes","selectors"/],
  [
    SCRAPE,
    { url: URL, ai_query: 'price' },
    /-- ai_query/,
    /body/,
    /formats: \[\{"type":"json","prompt":"price"\}\]/,
  ],
  [
    SCRAPE,
    { url: URL, actions: [{ type: 'click', text: 'OK' }] },
    /-- text/,
    /in actions\[0\]/,
    /Use selector, .*button:has-text\(/,
  ],
  [
    SCRAPE,
    { url: URL, actions: [{ evaluate: 'go()' }] },
    /type is missing/,
    /actions\[0\]/,
    /Write \{"type":"executeJavascript","script":"go\(\)"\}/,
  ],
  [SEARCH, { query: 'x', region: 'us-en' }, /-- region/, /body/, /Use country: "US"/],
  [SEARCH, { query: 'x', search_type: 'images' }, /-- search_type/, /body/, /Use sources: /],
  [SEARCH, { query: 'x', news: true }, /-- news/, /body/, /Use sources: \["news"\]/],
  ['GET /v2/jobs', { per_page: '20' }, /-- per_page/, /query/, /Use limit/],
  [
    SCRAPE,
    { url: URL, ignoreHTTPSErrors: true },
    /-- ignoreHTTPSErrors/,
    /body/,
    /skipTlsVerification: true/,
  ],
  [SCRAPE, { url: URL, params: { q: 'x' } }, /-- params/, /body/, /write it into the URL/],
  [SCRAPE, { url: URL, productOptions: { a: 1 } }, /-- productOptions/, /body/, /Use formats: \["product"\]/],
  [
    SCRAPE,
    { url: URL, actions: [{ type: 'select', selector: '#c' }] },
    /"select"/,
    /actions\[0\]/,
    /"executeJavascript".*new Event\('change'/,
  ],
  [
    SCRAPE,
    { url: URL, actions: [{ type: 'wait', selector: '#a', timeout: 5000 }] },
    /-- timeout/,
    /in actions\[0\]/,
    /With selector, leave it out/,
  ],
  [
    SCRAPE,
    { url: URL, parsers: [{ type: 'pdf', ocr: true }] },
    /-- ocr/,
    /in parsers\[0\]/,
    /Use mode: "ocr"/,
  ],
  [
    CRAWL,
    { url: URL, keepUrlFragments: true },
    /-- keepUrl/,
    /body/,
    /no such option here.*Known are url, prompt/,
  ],
  [CRAWL, { startUrls: [URL] }, /-- startUrls/, /body/, /Use url, such as/],
  [
    'POST /v2/extract',
    { urls: [URL], schema: { type: 'object', properties: { price: { type: 'number | null' } } } },
    /not "number \| null"/,
    /schema\.properties\.price\.type/,
    /Write \["number","null"\]/,
  ],
  [SCRAPE, `{"url": "${URL}"}`, /a string with JSON in it/, /body/, /encoded twice: send the object itself/],
  [
    SCRAPE,
    { url: URL, css_selector: '.price' },
    /-- css_selector/,
    /body/,
    /Use includeTags, .*: \["\.price"\]/,
  ],
  [
    SCRAPE,
    { url: URL, max_retries: 3 },
    /-- max_retries/,
    /body/,
    /the service decides by itself which failures/,
  ],
  [SCRAPE, { url: URL, js_code: 'go()' }, /-- js_code/, /body/, /"executeJavascript","script":"go\(\)"/],
  [
    SCRAPE,
    { url: URL, js_scenario: { instructions: [] } },
    /-- js_scenario/,
    /body/,
    /Use actions, a list such as/,
  ],
  [SCRAPE, { url: URL, browserHtml: true }, /-- browserHtml/, /body/, /Use formats: \["html"\]/],
  [
    SCRAPE,
    { url: URL, clickSelector: '#a' },
    /-- click/,
    /body/,
    /Use actions: \[\{"type":"click","selector":"#a"\}\]/,
  ],
  [SCRAPE, { url: URL, images: false }, /-- images/, /body/, /only what formats asks for/],
  [SCRAPE, { url: URL, elements: [{ selector: 'h1' }] }, /-- elements/, /body/, /Use includeTags: \["h1"\]/],
  [SCRAPE, { url: URL, cache: false }, /-- cache/, /body/, /Use maxAge: 0, which reads the page now/],
  [SCRAPE, { startUrls: [{ url: URL }] }, /-- startUrls/, /body/, /Use url, one URL/],
  [
    SCRAPE,
    { url: URL, wait_for: { selector: '#x', timeout: { secs: 5 } } },
    /-- wait_for/,
    /body/,
    /Did you mean waitFor\? It is: time in ms/,
  ],
  [SCRAPE, { url: URL, headers: 'A: b\r\nC: d' }, /the string/, /headers/, /Write \{"A":"b","C":"d"\}/],
  [
    SCRAPE,
    { url: URL, headers: [{ name: 'Cookie', value: 'a=b' }] },
    /not a list/,
    /headers/,
    /Write \{"Cookie":"a=b"\}/,
  ],
  [SCRAPE, { url: URL, headers: { Cookie: { a: 'b' } } }, /not an object/, /headers\.Cookie/, /Write "a=b"/],
  [
    SCRAPE,
    { url: URL, location: { languages: 'de-DE,en;q=0.5' } },
    /the string/,
    /location\.languages/,
    /Write \["de-DE","en"\]/,
  ],
  [
    SCRAPE,
    { url: URL, actions: [{ type: 'wait', seconds: 5 }] },
    /-- seconds/,
    /in actions\[0\]/,
    /Use milliseconds: 5000/,
  ],
  [SCRAPE, { url: URL, actions: [['click', '#a']] }, /not a list/, /actions\[0\]/, /"click","selector":"#a"/],
  [SCRAPE, { url: URL, actions: [{ type: 'hover' }] }, /"hover"/, /actions\[0\]/, /"executeJavascript"/],
  [
    SCRAPE,
    { url: URL, formats: ['markdown', { type: 'changeTracking', mode: 'json' }] },
    /-- mode/,
    /in formats\[1\]/,
    /Did you mean modes\? Write "modes": \["json"\]/,
  ],
  [
    SCRAPE,
    { url: URL, formats: [{ type: 'json', schema: { _def: {}, shape: {} } }] },
    /a schema of Zod/,
    /formats\[0\]\.schema/,
    /Send what z\.toJSONSchema\(schema\) makes/,
  ],
  [CRAWL, { url: URL, max_depth: 3 }, /-- max_depth/, /body/, /Use maxDiscoveryDepth/],
  [CRAWL, { url: URL, maxConcurrentRequests: 3 }, /-- maxConc/, /body/, /Use maxConcurrency/],
  [
    CRAWL,
    { url: URL, allowedDomains: ['a.test'] },
    /-- allowedDomains/,
    /body/,
    /allowSubdomains: true adds/,
  ],
  [CRAWL, { url: URL, crawl: { limit: 3 } }, /-- crawl/, /body/, /its members \(limit\) without it/],
  [CRAWL, { url: URL, cssSelector: 'p' }, /-- cssSelector/, /body/, /In scrapeOptions: Use includeTags/],
  [CRAWL, { url: URL, limit: 'all' }, /the string "all"/, /limit/, /Write 10000000/],
  [CRAWL, { url: URL, excludePaths: '*.pdf' }, /the string/, /excludePaths/, /Write \["\\\\\.pdf\$"\]/],
  [CRAWL, { url: URL, excludePaths: ['*.pdf'] }, /cannot be read/, /excludePaths/, /Write "\\\\\.pdf\$"/],
  [
    CRAWL,
    { url: URL, includePaths: ['/\\/blog\\//i'] },
    /slashes and flags of JavaScript/,
    /includePaths/,
    /Write "\(\?i\)\/blog\/"/,
  ],
  [BATCH, { requests: [{ url: URL }] }, /-- requests/, /body/, /Use urls, a list/],
  [SEARCH, { query: ['a', 'b'] }, /not a list/, /query/, /Write "a b"/],
  [SEARCH, { query: 'x', num_results: 5 }, /-- num_results/, /body/, /Use limit/],
  [SEARCH, { query: 'x', include_raw_content: true }, /-- include/, /body/, /Use scrapeOptions: \{"formats"/],
  [SEARCH, { query: 'x', safe: 'strict' }, /the string "strict"/, /safe/, /Write true/],
  [SEARCH, { query: 'x', sources: ['google'] }, /"google"/, /sources\[0\]/, /Write "web"/],
  [SEARCH, { query: 'x', tbs: 'week' }, /the string "week"/, /tbs/, /Write "qdr:w"/],
  [SEARCH, { query: 'x', lang: 'de_DE' }, /the string "de_DE"/, /lang/, /Write "de-DE"/],
  ['POST /v2/agent', { prompt: 'x', tools: [] }, /-- tools/, /body/, /an agent has its own tools/],
  ['POST /v2/agent', { messages: [] }, /-- messages/, /body/, /Use prompt, a string/],
  ['POST /v2/parse/upload-url', { filename: 'a.pdf', size: 5 }, /-- size/, /body/, /Use declaredSizeBytes/],
  ['POST /v2/browser', { keepAlive: true }, /-- keepAlive/, /body/, /Use ttl, in seconds/],
  [
    'POST /v2/browser/:id/execute',
    { code: '1', args: { a: 1 } },
    /-- args/,
    /body/,
    /write the values into code/,
  ],
  [
    'POST /v2/monitor',
    { name: 'a', schedule: { interval: 20 }, targets: [{ type: 'scrape', urls: [URL] }] },
    /-- interval/,
    /in schedule/,
    /text: "every 20 minutes"/,
  ],
  [
    'POST /v2/monitor',
    { name: 'a', schedule: { text: 'daily' }, targets: [URL] },
    /the string/,
    /targets\[0\]/,
    /Write \{"type":"scrape","urls":\["https:\/\/a\.test"\]\}/,
  ],
  ['PATCH /v2/monitor/:id', { retentionDays: '30d' }, /the string "30d"/, /retentionDays/, /Write 30/],
  ['GET /v2/jobs', { from: '2026-01-01' }, /-- from/, /query/, /Use since, a time such as/],
  ['GET /v2/jobs', { status: 'running' }, /not "running"/, /status/, /Write "scraping"/],
  [ACTIVITY, { endpoint: '/v2/scrape' }, /not "\/v2\/scrape"/, /endpoint/, /Write "scrape"/],
  [SCRAPE, { url: URL, headers: { toString: 1, valueOf: null } }, /not 1/, /headers\.toString/, /Write "1"/],
  [SCRAPE, { url: URL, mobile: { toString: 1 } }, /not an object/, /mobile/, /true or false/],
  [SCRAPE, { url: URL, proxy: { toString: 1 } }, /not an object/, /proxy/, /one of "basic"/],
  [
    SCRAPE,
    { url: URL, waitFor: '#price' },
    /the string "#price"/,
    /waitFor/,
    /use actions: \[\{"type":"wait","selector":"#price"\}\]\.$/,
  ],
  [
    SCRAPE,
    { url: URL, viewport: { width: 800, height: 600 } },
    /key in body -- viewport/,
    /body/,
    /formats: \[\{"type": "screenshot", "viewport": \{"width":800,"height":600\}\}\]/,
  ],
  ['POST /v2/map', { url: URL, query: 'price' }, /-- query/, /body/, /Use search\./],
  ['POST /v2/support/ask', { message: 'why' }, /-- message/, /body/, /Use question\. question is missing/],
  ['POST /v2/browser/:id/extend', { seconds: 60 }, /-- seconds/, /body/, /Use ttl, in seconds\./],
  [
    'POST /v2/monitor',
    { name: 'a', notification: { email: 'a@b.test' } },
    /the string "a@b\.test"/,
    /notification\.email/,
    /Write \{"recipients":\["you@example\.com"\]\}/,
  ],
  [
    SCRAPE,
    { url: URL, waitUntil: 'networkidle' },
    /-- waitUntil/,
    /body/,
    /Leave it out: .* For more time, use waitFor, in milliseconds/,
  ],
  [
    SCRAPE,
    { url: URL, waitForSelector: '#price' },
    /-- waitForSelector/,
    /body/,
    /Use actions: \[\{"type":"wait","selector":"#price"\}\]\./,
  ],
  [SCRAPE, { url: URL, render_js: true }, /-- render_js/, /body/, /opened in a browser by itself/],
  [SCRAPE, { url: URL, method: 'POST' }, /-- method/, /body/, /read with GET\. .*use actions/],
  [
    SCRAPE,
    { url: URL, proxy: 'http://user:pw@proxy.test:8080' },
    /the string "http:\/\/user/,
    /proxy/,
    /The operator sets the proxy servers \(WINNOW_PROXIES_BASIC/,
  ],
  [SCRAPE, { url: URL, proxy: { server: 'p.test:1' } }, /not an object/, /proxy/, /The operator sets/],
  [
    SCRAPE,
    { url: URL, actions: [{ type: 'fill', selector: '#q', value: 'tea' }] },
    /not the string "fill"\. Write "write"\. After that: Unrecognized key in body -- selector, value/,
    /\(in actions\[0\]\)/,
    /\{"type":"click","selector":"#q"\}\. value: Use text\..* Write \{"type":"write","text":"tea"\}\.$/,
  ],
  [
    SCRAPE,
    { url: URL, actions: [{ type: 'klick', css: '#a' }] },
    /Did you mean "click"\? After that: .* -- css/,
    /in actions\[0\]/,
    /Use selector, a CSS selector\./,
  ],
  [
    SCRAPE,
    { url: URL, excludeTags: ["//div[@id='x']"] },
    /is not a CSS selector; XPath is not supported/,
    /excludeTags\[0\]/,
    /"div#content" for \/\/div\[@id='content'\]/,
  ],
  [
    'POST /v2/extract',
    { urls: [URL], schema: { type: 'object', properties: ['name', 'price'] } },
    /properties must be an object with a schema for each name, not a list/,
    /schema\.properties/,
    /Write \{"name":\{"type":"string"\},"price":\{"type":"string"\}\}/,
  ],
  [
    'POST /v2/extract',
    { urls: [URL], schema: { type: 'object', properties: { tags: ['string'] } } },
    /must be an object, not a list/,
    /schema\.properties\.tags/,
    /Write \{"type":"array","items":\{"type":"string"\}\}/,
  ],
  [
    'POST /v2/extract',
    { urls: [URL], fields: ['name'] },
    /-- fields/,
    /body/,
    /Use schema: \{"type":"object"/,
  ],
  [BATCH, { urls: { a: URL } }, /not an object/, /urls/, /Write \["https:\/\/a\.test"\]/],
  [CRAWL, { url: URL, followLinks: false }, /-- followLinks/, /body/, /maxDiscoveryDepth: 0/],
  [CRAWL, { url: URL, respectRobots: false }, /-- respectRobots/, /body/, /unless ignoreRobotsTxt is true/],
  ['POST /v2/map', { url: URL, depth: 2 }, /-- depth/, /body/, /a map has no depth\. Use limit/],
  [SEARCH, { query: 'x', site: 'a.test' }, /-- site/, /body/, /Use includeDomains: \["/],
  [SEARCH, { query: 'x', time: 'week' }, /-- time/, /body/, /Use tbs: "qdr:w" for the last week/],
  [
    SCRAPE,
    { url: URL, parsers: [{ type: 'pdf', pages: 3 }] },
    /not 3/,
    /parsers\[0\]\.pages/,
    /use maxPages: 3/,
  ],
  [SEARCH, { query: 'x', page: 2 }, /-- page/, /body/, /Use limit for more/],
  ['POST /v2/agent', { prompt: 'x', maxSteps: 5 }, /-- maxSteps/, /body/, /Use maxCredits/],
  [
    'PATCH /v2/monitor/:id',
    { status: 'inactive' },
    /the string "inactive"/,
    /status/,
    /"active", "paused".*Write "paused"/,
  ],
  ['PATCH /v2/monitor/:id', { enabled: false }, /-- enabled/, /body/, /Use status, which is "active" or/],
  [SCRAPE, { url: URL, includeOnlyTags: ['h1'] }, /-- includeOnlyTags/, /body/, /Use includeTags, a list/],
  [
    'PATCH /admin/teams/:name',
    { credits: 'unlimited' },
    /not the string "unlimited"/,
    /credits/,
    /a whole number, or null for no limit/,
  ],
  [SCRAPE, {}, /missing/, /url/, /"https:\/\/example\.com"/],
  [SCRAPE, undefined, /body is missing/, /url/, /\{"url":"https:\/\/example\.com"\}/],
  ['POST /v2/map', {}, /missing/, /url/, /"https:\/\/example\.com"/],
  [CRAWL, {}, /missing/, /url/, /"https:\/\/example\.com"/],
  [BATCH, undefined, /missing/, /urls/, /\{"urls":\["https:\/\/example\.com"\]\}/],
  [SCRAPE, [URL], /body is a list/, /body/, /Send a JSON object with url/],
  [SCRAPE, 'x', /body is a string/, /body/, /Send a JSON object with url/],
  [SCRAPE, { url: 5 }, /not 5/, /url/, /must be a string/],
  [SCRAPE, { url: URL, formats: 'markdown' }, /must be a list/, /formats/, /Write \["markdown"\]/],
  [SCRAPE, { url: URL, includeTags: '.a' }, /must be a list/, /includeTags/, /Write \["\.a"\]/],
  [SCRAPE, { url: URL, parsers: 'pdf' }, /must be a list/, /parsers/, /Write \["pdf"\]/],
  [CRAWL, { url: URL, includePaths: '/a' }, /must be a list/, /includePaths/, /Write \["\/a"\]/],
  [SEARCH, { query: 'x', sources: 'web' }, /must be a list/, /sources/, /Write \["web"\]/],
  [BATCH, { urls: URL }, /must be a list/, /urls/, /Write \["https:\/\/a\.test"\]/],
  ['POST /v2/extract', { urls: URL }, /must be a list/, /urls/, /Write \["https:\/\/a\.test"\]/],
  [SCRAPE, { url: URL, timeout: '30000' }, /not the string "30000"/, /timeout/, /in ms.*Write 30000\.$/],
  [SCRAPE, { url: URL, timeout: 1500.5 }, /not 1500\.5/, /timeout/, /whole number from 1000 to 300000/],
  [SCRAPE, { url: URL, onlyMainContent: 'true' }, /"true"/, /onlyMainContent/, /Write true\.$/],
  ['POST /v2/browser', { ttl: '600' }, /the string "600"/, /ttl/, /in seconds.*Write 600\.$/],
  [SCRAPE, { url: URL, headers: ['Cookie: a=b'] }, /not a list/, /headers/, /Write \{"Cookie":"a=b"\}/],
  [SCRAPE, { url: URL, location: 'US' }, /the string "US"/, /location/, /Write \{"country":"US"\}/],
  [SCRAPE, { url: URL, profile: 'shop' }, /the string "shop"/, /profile/, /Write \{"name":"shop"\}/],
  [
    SCRAPE,
    { url: URL, formats: ['question'] },
    /missing/,
    /formats\[0\]\.question/,
    /Write \{"type":"question","question":/,
  ],
  [
    SCRAPE,
    { url: URL, actions: [{ type: 'klick' }] },
    /the string "klick"/,
    /actions\[0\]\.type/,
    /"wait", "click".*Did you mean "click"\?/,
  ],
  [SCRAPE, { url: URL, actions: [{ selector: 'a' }] }, /missing/, /actions\[0\]\.type/, /"wait", "click"/],
  [
    SCRAPE,
    { url: URL, actions: ['click'] },
    /the string "click"/,
    /actions\[0\]/,
    /Write \{"type":"click","selector":"#content"\}/,
  ],
  [
    SCRAPE,
    { url: URL, actions: [{ type: 'click' }] },
    /selector is missing/,
    /actions\[0\]/,
    /"click" needs it\. Write \{"type":"click","selector":"#content"\}/,
  ],
  [
    SCRAPE,
    { url: URL, actions: [{ type: 'scroll', direction: 'left' }] },
    /the string "left"/,
    /actions\[0\]\.direction/,
    /"up", "down"/,
  ],
  [SCRAPE, { url: URL, parsers: ['word'] }, /the string "word"/, /parsers\[0\]/, /"pdf", "image"/],
  [
    SCRAPE,
    { url: URL, parsers: [{ type: 'pdf', mode: 'slow' }] },
    /the string "slow"/,
    /parsers\[0\]\.mode/,
    /"fast", "auto", "ocr"/,
  ],
  [SEARCH, { query: 'x', sources: ['webb'] }, /"webb"/, /sources\[0\] /, /Did you mean "web"\?/],
  [SCRAPE, { url: URL, proxy: 'stelth' }, /"stelth"/, /proxy/, /Did you mean "stealth"\?/],
  [ACTIVITY, { limit: 'x' }, /not "x"/, /limit/, /one whole number from 1 to 100/],
  [ACTIVITY, { limit: '1.5' }, /not "1\.5"/, /limit/, /one whole number from 1 to 100/],
  [ACTIVITY, { limit: ['1', '2'] }, /not several values/, /limit/, /one whole number from 1 to 100/],
  [CRAWL, { url: URL, limit: 0 }, /not 0/, /limit/, /at least 1/],
  [BATCH, { urls: [] }, /at least one/, /urls/, /at least one URL/],
  [SCRAPE, { Url: URL }, /key in body -- Url/, /body/, /Did you mean url\?/],
  [SCRAPE, { url: URL, onlyMainContnt: true }, /-- onlyMainContnt/, /body/, /Did you mean onlyMainContent\?/],
  [SCRAPE, { url: URL, only_main_content: true }, /-- only_/, /body/, /Did you mean onlyMainContent\?/],
  [BATCH, { urls: [URL], ignoreInvalidUrls: true }, /-- ignore/, /body/, /Did you mean ignoreInvalidURLs\?/],
  [SCRAPE, { urls: [URL] }, /-- urls/, /body/, /Use url for one URL, and POST \/v2\/batch\/scrape/],
  [BATCH, { url: URL }, /-- url\./, /body/, /Use urls, a list/],
  [CRAWL, { url: URL, formats: [] }, /-- formats/, /body/, /\{"scrapeOptions": \{"formats": …\}\}/],
  [SEARCH, { query: 'x', formats: [] }, /-- formats/, /body/, /Put it in scrapeOptions/],
  [
    SCRAPE,
    { url: URL, scrapeOptions: { formats: ['markdown'] } },
    /-- scrapeOptions/,
    /body/,
    /its members \(formats\) without it/,
  ],
  [
    CRAWL,
    { url: URL, scrapeOptions: { limit: 3 } },
    /-- limit/,
    /in scrapeOptions/,
    /belongs beside scrapeOptions/,
  ],
  [CRAWL, { url: URL, maxDepth: 2 }, /-- maxDepth/, /body/, /Use maxDiscoveryDepth/],
  [CRAWL, { url: URL, ignoreSitemap: true }, /-- ignoreSitemap/, /body/, /Use sitemap, which is "skip"/],
  [CRAWL, { url: URL, followExternalLinks: true }, /-- follow/, /body/, /Use allowExternalLinks/],
  ['POST /v2/parse', { url: URL }, /-- url/, /body/, /POST \/v2\/scrape/],
  [
    'POST /v2/parse',
    { uploadRef: 'x', options: { formats: ['markdown'] } },
    /-- options/,
    /body/,
    /its members \(formats\) without it/,
  ],
  [SCRAPE, { url: URL, location: { contry: 'IT' } }, /-- contry/, /in location/, /Did you mean country\?/],
  [SCRAPE, { url: URL, jsonOptions: {} }, /-- jsonOptions/, /body/, /formats: \[\{"type": "json"/],
  [
    CRAWL,
    { url: URL, crawlerOptions: { maxDepth: 1 } },
    /-- crawlerOptions/,
    /body/,
    /Leave it out.*maxDepth: Use maxDiscoveryDepth/,
  ],
  [
    SEARCH,
    { query: 'x', pageOptions: { fetchPageContent: true } },
    /-- pageOptions/,
    /body/,
    /Use scrapeOptions: \{"formats": \["markdown"\]\}/,
  ],
  [
    SCRAPE,
    { url: URL, webhook: { url: URL } },
    /-- webhook/,
    /body/,
    /Leave it out\. Only crawl, batch\/scrape, extract and agent/,
  ],
  [
    SCRAPE,
    { url: URL, prompt: 'the name' },
    /-- prompt/,
    /body/,
    /formats: \[\{"type": "json", "prompt": "the name"\}\]/,
  ],
  [
    SCRAPE,
    { url: URL, schema: { type: 'object' } },
    /-- schema/,
    /body/,
    /formats: \[\{"type": "json", "schema": \{"type":"object"\}\}\]/,
  ],
  [
    CRAWL,
    { url: URL, schema: { type: 'object' } },
    /-- schema/,
    /body/,
    /scrapeOptions: \{"formats": \[\{"type": "json"/,
  ],
  [
    SCRAPE,
    { url: URL, jsonOptions: { prompt: 'x' } },
    /-- jsonOptions/,
    /body/,
    /formats: \[\{"type":"json","prompt":"x"\}\]/,
  ],
  [SCRAPE, { url: URL, limit: 3 }, /-- limit/, /body/, /use POST \/v2\/crawl/],
  [SCRAPE, { url: URL, apiKey: 'x' }, /-- apiKey/, /body/, /header Authorization: Bearer/],
  [
    SCRAPE,
    { url: URL, mode: 'x' },
    /-- mode/,
    /body/,
    /Remove it: there is no such option here\. .*Known are url, formats/,
  ],
  ['POST /v2/map', { url: URL, formats: ['links'] }, /-- formats/, /body/, /a map lists URLs only/],
  ['POST /v2/browser', { url: URL }, /-- url/, /body/, /page\.goto/],
  ['POST /v2/parse', { file: 'aGk=' }, /-- file/, /body/, /multipart\/form-data in the part `file`/],
  [SEARCH, { query: 'x', language: 'de' }, /-- language/, /body/, /Use lang, such as "de"/],
  [CRAWL, { url: URL, headers: { A: 'b' } }, /-- headers/, /body/, /\{"scrapeOptions": \{"headers": …\}\}/],
  [
    SCRAPE,
    { url: URL, formats: [{ type: 'markdown', onlyMainContent: true }] },
    /-- onlyMainContent/,
    /in formats\[0\]/,
    /beside formats, not in it/,
  ],
  [
    SCRAPE,
    { url: URL, formats: [{ type: 'json', jsonSchema: {} }] },
    /-- jsonSchema/,
    /in formats\[0\]/,
    /Use schema/,
  ],
  [
    SCRAPE,
    { url: URL, actions: [{ type: 'write', selector: '#q', text: 'tea' }] },
    /-- selector/,
    /in actions\[0\]/,
    /Click the field first.*\{"type":"click","selector":"#q"\}/,
  ],
  [SCRAPE, { url: URL, actions: [{ type: 'wait', ms: 5 }] }, /-- ms/, /in actions\[0\]/, /Use milliseconds/],
  [
    SCRAPE,
    { url: URL, actions: [{ wait: 1000 }] },
    /missing/,
    /actions\[0\]\.type/,
    /Write \{"type":"wait","milliseconds":1000\}/,
  ],
  [
    SCRAPE,
    { url: URL, actions: [{ click: '#a' }] },
    /missing/,
    /actions\[0\]\.type/,
    /Write \{"type":"click","selector":"#a"\}/,
  ],
  [
    SCRAPE,
    { url: URL, actions: [{ scroll: 'down' }] },
    /missing/,
    /actions\[0\]\.type/,
    /Write \{"type":"scroll","direction":"down"\}/,
  ],
  [
    SCRAPE,
    { url: URL, actions: [{ screenshot: true }] },
    /missing/,
    /actions\[0\]\.type/,
    /Write \{"type":"screenshot"\}/,
  ],
  [
    SCRAPE,
    { url: URL, actions: [{ screenshot: { fullPage: true } }] },
    /missing/,
    /actions\[0\]\.type/,
    /Write \{"type":"screenshot","fullPage":true\}|Write \{"fullPage":true,"type":"screenshot"\}/,
  ],
  [
    SCRAPE,
    { url: URL, actions: [{ action: 'press', key: 'Enter' }] },
    /missing/,
    /actions\[0\]\.type/,
    /Write \{"type":"press","key":"Enter"\}/,
  ],
  [
    SCRAPE,
    { url: URL, actions: { type: 'wait', milliseconds: 5 } },
    /must be a list/,
    /actions/,
    /Write \[\{"type":"wait","milliseconds":5\}\]/,
  ],
  [SCRAPE, { url: URL, actions: [{ type: 'goto' }] }, /"goto"/, /actions\[0\]\.type/, /opens only its url/],
  [
    SCRAPE,
    { url: URL, formats: [{ format: 'html' }] },
    /missing/,
    /formats\[0\]\.type/,
    /Write \{"type":"html"\}/,
  ],
  [
    SCRAPE,
    { url: URL, formats: [{ json: { prompt: 'x' } }] },
    /missing/,
    /formats\[0\]\.type/,
    /"prompt":"x"/,
  ],
  [
    SCRAPE,
    { url: URL, formats: ['screenshot@fullPage'] },
    /unknown format "screenshot@fullPage"/,
    /formats\[0\]/,
    /Write \{"type":"screenshot","fullPage":true\}/,
  ],
  [
    SCRAPE,
    { url: URL, formats: ['Markdown'] },
    /unknown format "Markdown"/,
    /formats\[0\]/,
    /Did you mean "markdown"\? Known are markdown/,
  ],
  [
    SCRAPE,
    { url: URL, formats: ['raw_html'] },
    /unknown format "raw_html"/,
    /formats\[0\]/,
    /Did you mean "rawHtml"\? Known/,
  ],
  [
    SCRAPE,
    { url: URL, formats: ['pdf'] },
    /unknown format "pdf"/,
    /formats\[0\]/,
    /actions: \[\{"type":"pdf"\}\]/,
  ],
  [
    SCRAPE,
    { url: URL, formats: ['attributes'] },
    /missing/,
    /selectors/,
    /"selectors":\[\{"selector":"a","attribute":"href"\}\]/,
  ],
  [
    SCRAPE,
    { url: URL, formats: ['json'] },
    /needs a schema or a prompt/,
    /formats\[0\]/,
    /Write \{"type":"json","schema"/,
  ],
  [
    SCRAPE,
    { url: URL, formats: 'markdown, html' },
    /must be a list/,
    /formats/,
    /Write \["markdown","html"\]/,
  ],
  [
    SCRAPE,
    { url: URL, formats: { markdown: true, links: false } },
    /not an object/,
    /formats/,
    /Write \["markdown"\]/,
  ],
  [SCRAPE, { url: URL, formats: '["html"]' }, /not a string with JSON in it/, /formats/, /Write \["html"\]/],
  [SCRAPE, { url: URL, formats: null }, /not null/, /formats/, /Leave it out, or write \["markdown"\]/],
  [SCRAPE, { url: URL, proxy: null }, /not null/, /proxy/, /Leave it out/],
  [
    CRAWL,
    { url: URL, scrapeOptions: null },
    /not null/,
    /scrapeOptions/,
    /Leave it out, or write \{"formats":\["markdown"\]\}/,
  ],
  [
    SEARCH,
    { query: 'x', scrapeOptions: ['html'] },
    /not a list/,
    /scrapeOptions/,
    /Write \{"formats":\["html"\]\}/,
  ],
  [SCRAPE, { url: [URL] }, /not a list/, /url/, /Write "https:\/\/a\.test"/],
  [
    BATCH,
    { urls: `${URL}/1, ${URL}/2` },
    /must be a list/,
    /urls/,
    /Write \["https:\/\/a\.test\/1","https:\/\/a\.test\/2"\]/,
  ],
  [BATCH, { urls: `${URL}/a,b` }, /must be a list/, /urls/, /Write \["https:\/\/a\.test\/a,b"\]/],
  [BATCH, { urls: [{ url: URL }] }, /must be a URL as a string/, /urls\[0\]/, /such as "https:/],
  [SCRAPE, { url: URL, timeout: '30s' }, /not the string "30s"/, /timeout/, /in ms.*Write 30000/],
  [
    SCRAPE,
    { url: URL, timeout: 30 },
    /at least 1000 \(in ms\), not 30/,
    /timeout/,
    /If you mean 30 seconds, write 30000/,
  ],
  [
    'POST /v2/browser',
    { ttl: 600_000 },
    /at most 3600 \(in seconds\)/,
    /ttl/,
    /If you mean 600000 ms, write 600/,
  ],
  [SCRAPE, { url: URL, mobile: 1 }, /not 1/, /mobile/, /Write true/],
  [
    SCRAPE,
    { url: URL, location: 'Germany' },
    /not the string "Germany"/,
    /location/,
    /Write \{"country":"DE"\}/,
  ],
  [
    SCRAPE,
    { url: URL, location: { country: 'Germany' } },
    /not "Germany"/,
    /location\.country/,
    /Write "DE"/,
  ],
  [SEARCH, { query: 'x', country: 'USA' }, /not "USA"/, /country/, /Write "US"/],
  [
    SEARCH,
    { query: 'x', includeDomains: ['https://a.test/x'] },
    /host name/,
    /includeDomains\[0\]/,
    /Write "a\.test"/,
  ],
  [SEARCH, { query: 'x', sources: [] }, /is empty/, /sources/, /at least one entry\.$/],
  [
    SCRAPE,
    { url: URL, formats: [{ type: 'screenshot', viewport: '1280x720' }] },
    /must be an object/,
    /formats\[0\]\.viewport/,
    /Write \{"width":1280,"height":720\}/,
  ],
  [
    SCRAPE,
    { url: URL, formats: [{ type: 'screenshot', viewport: { width: 99_999, height: 9 } }] },
    /at most 7680, not 99999/,
    /formats\[0\]\.viewport\.width/,
    /at most/,
  ],
  [
    SCRAPE,
    { url: URL, formats: [{ type: 'question', question: '' }] },
    /must not be empty\.$/,
    /formats\[0\]\.question/,
    /must not/,
  ],
  [
    SCRAPE,
    { url: URL, formats: [{ type: 'json', schema: '{"type":"object"}' }] },
    /not a string with JSON in it/,
    /formats\[0\]\.schema/,
    /Write \{"type":"object"\}/,
  ],
  [
    SCRAPE,
    { url: URL, formats: [{ type: 'json', schema: { type: 'objekt' } }] },
    /schema\.type must be one of/,
    /formats\[0\]\.schema/,
    /Did you mean "object"\?/,
  ],
  [
    SCRAPE,
    { url: URL, formats: [{ type: 'json', schema: { type: 'object', properties: { a: 'int' } } }] },
    /schema\.properties\.a must be an object, not "int"/,
    /formats\[0\]\.schema/,
    /Write \{"type":"integer"\}$/,
  ],
  [
    SCRAPE,
    { url: URL, formats: [{ type: 'json', schema: { properties: { a: { type: 'str' } } } }] },
    /properties\.a\.type/,
    /formats\[0\]\.schema/,
    /Did you mean "string"\?/,
  ],
  [
    SCRAPE,
    {
      url: URL,
      formats: [{ type: 'json', schema: { properties: { a: { type: 'string', required: true } } } }],
    },
    /properties\.a\.required/,
    /formats\[0\]\.schema/,
    /"required": \["a"\] beside properties/,
  ],
  [
    'POST /v2/extract',
    { urls: [URL], schema: [{ type: 'object' }] },
    /not a list/,
    /schema/,
    /Write \{"type":"object","properties":\{"name":\{"type":"string"\}\}\}/,
  ],
  [
    'POST /v2/extract',
    { urls: [URL], schema: { name: 'string', price: 'float' } },
    /schema: .*no type and no properties/,
    /schema/,
    /"price":\{"type":"number"\}/,
  ],
  [
    'POST /v2/extract',
    { urls: [], schema: { type: 'object' } },
    /is empty/,
    /urls/,
    /at least one URL, such as/,
  ],
  [CRAWL, { url: URL, webhook: { events: ['page'] } }, /must be an http/, /webhook\.url/, /such as https:/],
  [CRAWL, { url: URL, sitemap: 'ignore' }, /"ignore"/, /sitemap/, /Write "skip"/],
];

describe('a mistake in a request', () => {
  test.each(ROWS)(
    '%s with %j says what is wrong, where, and what to do',
    (route, request, what, where, remedy) => {
      const { message } = refusalOf(route, request);
      expect(message).toMatch(what);
      expect(message).toMatch(where);
      expect(message).toMatch(remedy);
      expect(message).not.toMatch(/Invalid input|expected|received|Too (small|big)/);
    },
  );

  test('begins as clients of this API expect', () => {
    expect(refusalOf(SCRAPE, {}).message).toMatch(/^Bad Request: url is missing/);
    expect(refusalOf(SCRAPE, { url: URL, foo: 1 }).message).toMatch(/^Unrecognized key in body -- foo\. /);
    expect(refusalOf(SCRAPE, { url: URL, waitFor: 70_000 }).message).toMatch(
      /^waitFor must be at most 60000/,
    );
  });

  test('does not hide another one', () => {
    const { message, details } = refusalOf(SCRAPE, { Url: URL, timeout: 'soon', formats: 'html' });
    expect(message).toMatch(/Did you mean url\?.* url is missing.* formats must be a list.* timeout must be/);
    expect(details).toHaveLength(4);
  });

  test('that another one hid is in the details too', () => {
    const { details } = refusalOf(SCRAPE, { url: URL, actions: [{ type: 'tap', css: '#a' }] });
    expect(details).toMatchObject([
      { path: ['actions', 0, 'type'] },
      { path: ['actions', 0, 'selector'] },
      { path: ['actions', 0], keys: ['css'] },
    ]);
  });

  test('is one of five that are told, and the others are in the details', () => {
    const wrong = Object.fromEntries(
      ['mobile', 'blockAds', 'fastMode', 'lockdown', 'storeInCache', 'safeMode', 'domainTools'].map(
        (name) => [name, 'yes'],
      ),
    );
    const { message, details } = refusalOf(SCRAPE, { url: URL, ...wrong });
    expect(message).toMatch(/2 more mistakes are in details\.$/);
    expect(details).toHaveLength(7);
  });

  test('has the words of the message in its details', () => {
    expect(refusalOf(SCRAPE, { url: URL, timeout: '5000' }).details).toEqual([
      {
        code: 'invalid_type',
        path: ['timeout'],
        message:
          'timeout must be a whole number from 1000 to 300000 (in ms), not the string "5000". Write 5000',
      },
    ]);
  });

  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'in the key %s is told like any other',
    (key) => {
      const request = JSON.parse(`{"url": "${URL}", "${key}": 1, "location": {"${key}": 1}}`);
      expect(refusalOf(SCRAPE, request).message).toMatch(/^Unrecognized key in body -- /);
    },
  );

  test('of a value that is long repeats only its beginning', () => {
    const { message } = refusalOf(SCRAPE, {
      url: URL,
      proxy: 'x'.repeat(100_000),
      formats: 'y'.repeat(100_000),
    });
    expect(message.length).toBeLessThan(600);
  });
});
