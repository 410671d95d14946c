import { propertiesOf } from '../../content/extraction/schema-faults.ts';
import { fieldsOf } from '../../json/json-object.ts';
import { isShort } from './examples.ts';
import { adviseOnCountry, countryIn } from './place-words.ts';
import type { Replacement } from './replacement.ts';
import { scheduleOf } from './schedule-words.ts';
import { adviseOnPeriod } from './search-period.ts';
import { adviseOnWait } from './wait-words.ts';

/** Options of browser libraries, other scraping services, crawlers and search APIs. */
export const SCRAPER_NAMES: readonly Replacement[] = [
  {
    names: [
      'waitUntil',
      'wait_until',
      'waitForNetworkIdle',
      'networkIdle',
      'waitForLoad',
      'waitForLoadState',
    ],
    beside: 'waitFor',
    advice:
      'Leave it out: a browser waits until the page is quiet. For more time, use waitFor, in milliseconds, such as 2000.',
  },
  {
    names: ['waitForSelector', 'wait_for_selector', 'waitForElement', 'waitSelector', 'waitForFunction'],
    beside: 'waitFor',
    advice: adviseOnWait,
  },
  {
    names: ['renderJs', 'render_js', 'js_render', 'jsRender', 'render', 'javascript', 'dynamic', 'headless'],
    beside: 'waitFor',
    advice:
      'Leave it out: a page that scripts build is opened in a browser by itself. fastMode: true never opens one.',
  },
  {
    names: ['premiumProxy', 'premium_proxy', 'stealthProxy', 'stealth_proxy', 'stealth', 'residential'],
    beside: 'proxy',
    advice: 'Use proxy: "enhanced".',
  },
  {
    names: ['proxyUrl', 'proxy_url', 'proxies', 'proxyServer', 'proxyConfiguration'],
    beside: 'proxy',
    advice:
      'Leave it out: the operator sets the proxy servers, with WINNOW_PROXIES_BASIC and WINNOW_PROXIES_ENHANCED.',
  },
  {
    names: ['region', 'countryCode', 'geo', 'gl', 'cc', 'market'],
    beside: 'tbs',
    advice: (value) => `Use country: ${JSON.stringify(countryIn(value) ?? 'DE')}.`,
  },
  {
    names: ['countryCode', 'country_code', 'geo', 'region'],
    beside: 'location',
    advice: adviseOnCountry,
  },
  {
    names: ['url', 'target'],
    beside: 'scheduleText',
    advice: (value) =>
      `Use page${typeof value === 'string' && isShort(value) ? `: ${JSON.stringify(value)}` : ', the URL of one page'}.`,
  },
  { names: ['urls', 'targets'], beside: 'scheduleText', advice: 'Use pages, a list of URLs.' },
  {
    names: ['schedule', 'interval', 'cron', 'every', 'frequency', 'text'],
    beside: 'scheduleText',
    advice: (value) => {
      const text = fieldsOf(scheduleOf(value)).text ?? fieldsOf(value).text;
      return `Use scheduleText: ${JSON.stringify(typeof text === 'string' ? text : 'daily at 9:00')}.`;
    },
  },
  { names: ['device', 'isMobile', 'emulateMobile'], beside: 'mobile', advice: 'Use mobile: true.' },
  {
    names: ['noCache', 'no_cache', 'bypassCache', 'skipCache', 'fresh', 'forceRefresh'],
    beside: 'maxAge',
    advice: 'Use maxAge: 0, which reads the page now.',
  },
  {
    names: ['includeOnlyTags', 'onlyTags', 'keepTags', 'includeSelectors'],
    beside: 'includeTags',
    option: 'includeTags',
    form: 'a list of CSS selectors',
  },
  {
    names: ['method', 'postData', 'formData'],
    beside: 'waitFor',
    advice:
      'Leave it out: pages are read with GET. To fill in a form, use actions, such as click, write and press.',
  },
  {
    names: ['respectRobots', 'respectRobotsTxt', 'obeyRobots', 'obeyRobotsTxt', 'robots', 'robotsTxt'],
    beside: 'ignoreRobotsTxt',
    advice: 'Leave it out: robots.txt is respected, unless ignoreRobotsTxt is true.',
  },
  {
    names: ['followLinks', 'follow', 'recursive'],
    beside: 'maxDiscoveryDepth',
    advice: 'Leave it out: a crawl follows links. With maxDiscoveryDepth: 0, it follows none.',
  },
  {
    names: ['depth', 'maxDepth', 'maxDiscoveryDepth'],
    beside: 'includeSubdomains',
    advice:
      'Leave it out: a map has no depth. Use limit for fewer URLs; POST /v2/crawl has maxDiscoveryDepth.',
  },
  {
    names: ['site', 'domain', 'domains', 'sites', 'allowedDomains'],
    beside: 'includeDomains',
    advice: 'Use includeDomains: ["example.com"].',
  },
  {
    names: ['time', 'timeRange', 'time_range', 'freshness', 'recency', 'dateRange', 'since'],
    beside: 'tbs',
    advice: adviseOnPeriod,
  },
  {
    names: ['page', 'offset', 'start'],
    beside: 'includeDomains',
    advice: 'Leave it out: all results come at once. Use limit for more of them.',
  },
  {
    names: ['fields', 'columns', 'properties', 'output_schema', 'outputSchema'],
    beside: 'schema',
    advice: (value) =>
      `Use schema: ${JSON.stringify({ type: 'object', properties: isShort(value) ? propertiesOf(value) : propertiesOf(undefined) })}.`,
  },
  {
    names: ['maxSteps', 'max_steps', 'maxIterations', 'maxTurns', 'budget', 'maxCost'],
    beside: 'maxCredits',
    advice: 'Use maxCredits, the most credits that it may cost.',
  },
  {
    names: ['enabled', 'active', 'paused', 'isActive', 'state'],
    beside: 'judgeEnabled',
    advice: 'Use status, which is "active" or "paused", in PATCH /v2/monitor/{id}.',
  },
  { names: ['cacheTtl', 'cache_ttl', 'ttl'], beside: 'maxAge', option: 'maxAge', form: 'in milliseconds' },
];
