/** The crawl options that a prompt can set, named as in a crawl request. */
export interface CrawlParams {
  url: string;
  includePaths?: string[];
  excludePaths?: string[];
  maxDepth?: number;
  maxDiscoveryDepth?: number;
  crawlEntireDomain?: boolean;
  allowExternalLinks?: boolean;
  allowSubdomains?: boolean;
  sitemap?: 'skip' | 'include' | 'only';
  ignoreQueryParameters?: boolean;
  ignoreRobotsTxt?: boolean;
  robotsUserAgent?: string;
  deduplicateSimilarURLs?: boolean;
  /** Seconds between two pages. */
  delay?: number;
  limit?: number;
}

/** A phrase and the option that it sets. The first rule for a key whose phrase matches is applied. */
interface Rule {
  key: keyof CrawlParams;
  phrase: RegExp;
  /** @returns `undefined` if the matched phrase sets no option after all */
  toOptions(match: RegExpExecArray): Partial<CrawlParams> | undefined;
}

const NUMBER_WORDS: Record<string, number> = Object.fromEntries(
  [
    'a 1,an 1,one 1,single 1,two 2,three 3,four 4,five 5,six 6,seven 7,eight 8,nine 9,ten 10,twelve 12,dozen 12',
    'fifteen 15,twenty 20,thirty 30,forty 40,fifty 50,sixty 60,hundred 100,thousand 1000,half 0.5',
  ]
    .flatMap((line) => line.split(','))
    .map((pair) => pair.split(' '))
    .map(([word, value]) => [word, Number(value)]),
);
const NUMBER = `((?:an? |one |two |three |five )?(?:${Object.keys(NUMBER_WORDS).join('|')})|\\d[\\d,_]*(?:\\.\\d+)?k?)`;
const NOT = `(?:do not|don't|dont|never|not|no|without|avoid|exclude|excluding|ignore|skip|disallow)`;
const FILLER = `(?: (?:the|a|any|all|its|their|use|using|follow|following|include|including|crawl|crawling|visit|to|of)){0,3}`;
const PAGES = `(?:(?<pageKind>\\w+) )?(?:pages?|urls?|results?|documents?|articles?|posts?|items?|entries)`;
const LINKS = `(?:external|outbound|outgoing|off-?site) (?:links?|pages?|sites?|urls?)`;
/** The text after a number without a unit, so that "at most 50 seconds" is not read as a limit of pages. */
const NO_UNIT_AFTER = `(?= ?(?:$|[.,;!?)]| (?:and|but|then|or|while|please|in total|altogether|of (?:them|these|those)|from)(?![\\w-])))`;
/** Words before a number without a unit which show that it is not a number of pages. */
const NOT_AFTER = `(?<!(?:wait|pause|sleep|delay|depth|deep|cost|costs|costing|price|priced|prices|rated|aged|under|over) (?:of |at |for |is )?)`;
const QUERY = `(?:(?:url )?query[- ]?(?:parameters?|params?|strings?)|url parameters?)`;

function parseNumber(text: string): number | undefined {
  const digits = /^([\d,_]+(?:\.\d+)?)(k?)$/i.exec(text);
  if (digits) return Number(digits[1]!.replace(/[,_]/g, '')) * (digits[2] ? 1000 : 1); // the group has a digit
  const product = text
    .split(' ')
    .reduce((value, word) => value * (NUMBER_WORDS[word.toLowerCase()] ?? Number.NaN), 1);
  return Number.isNaN(product) ? undefined : product;
}

/** Compiles a phrase to a regular expression that matches whole words, any white space and any case. */
const phrase = (text: string) =>
  new RegExp(`(?<![\\w/-])(?:${text})(?![\\w-])`.replaceAll(' ?', '\\s*').replaceAll(' ', '\\s+'), 'i');

const setOption = (key: keyof CrawlParams, text: string, value: boolean | string): Rule => ({
  key,
  phrase: phrase(text),
  toOptions: () => ({ [key]: value }),
});

const setInteger = (key: 'limit' | 'maxDiscoveryDepth', min: number, text: string, correction = 0): Rule => ({
  key,
  phrase: phrase(text),
  toOptions([, number]) {
    const value = parseNumber(number ?? '');
    // A fraction such as "half" is no number of pages.
    if (value === undefined || (value > 0 && value < 1)) return undefined;
    return { [key]: Math.max(min, Math.floor(value) + correction) };
  },
});

const setDelay = (text: string): Rule => ({
  key: 'delay',
  phrase: phrase(text),
  toOptions([, number, unit = '']) {
    const value = parseNumber(number ?? '');
    if (!value) return undefined;
    const factor = /^m(?:s|illi)/i.test(unit) ? 0.001 : /^m/i.test(unit) ? 60 : 1;
    return { delay: Math.min(60, value * factor) };
  },
});
const UNIT = '(ms|milliseconds?|s|secs?|seconds?|mins?|minutes?)';

/**
 * All rules in order of precedence: negations before what they negate, specific rules before general ones.
 */
export const RULES: readonly Rule[] = [
  {
    key: 'robotsUserAgent',
    phrase: phrase(
      `(?:use|using|follow|obey|respect|apply)(?: the)? robots(?:\\.txt)?(?: rules)? (?:for|of)(?: the)?(?: user[- ]agent)? ["']?([a-z][\\w-]{1,60})["']?`,
    ),
    toOptions: ([, name]) => (name ? { robotsUserAgent: name } : undefined),
  },
  setInteger(
    'maxDiscoveryDepth',
    0,
    `(?:fewer|less) than ${NUMBER} (?:levels?|clicks?|hops?|links?)(?: deep| away)?`,
    -1,
  ),
  setInteger(
    'maxDiscoveryDepth',
    0,
    `(?:(?:at most|up to|max(?:imum)?(?: of)?|within|only|no more than|no deeper than|not deeper than|go) )?${NUMBER} (?:levels?|clicks?|hops?)(?: (?:deep|down|away))?`,
  ),
  setInteger(
    'maxDiscoveryDepth',
    0,
    `(?:(?:max(?:imum)?|crawl|link|discovery) ){0,2}depth(?: (?:of|is|to|limit|limited|at most|no more than)){0,3}(?:: |:| )${NUMBER}`,
  ),
  setInteger('maxDiscoveryDepth', 0, `no(?:t)? deeper than ${NUMBER}`),
  setInteger('limit', 1, `(?:fewer|less) than ${NUMBER} ${PAGES}`, -1),
  setInteger(
    'limit',
    1,
    `(?:(?:no more than|not more than|at most|max(?:imum)?(?: of)?|up to|limit(?:ed)?(?: it| yourself| the crawl)?(?: to| of)?|only|just|the first|first|crawl|scrape|get|fetch|collect) ){1,3}${NUMBER} ${PAGES}`,
  ),
  setInteger('limit', 1, `(?:page )?limit(?: (?:of|is|to)){0,2}(?:: |:| )${NUMBER}`),
  setInteger('limit', 1, `${NUMBER} ${PAGES} (?:at most|max(?:imum)?|or (?:fewer|less)|in total|only)`),
  setInteger(
    'limit',
    1,
    `${NOT_AFTER}(?:no more than|not more than|at most|up to|max(?:imum)?(?: of)?|limit(?:ed)?(?: it| yourself| the crawl)? to) ${NUMBER}${NO_UNIT_AFTER}`,
  ),
  setInteger('limit', 1, `${NOT_AFTER}${NUMBER} (?:at most|max(?:imum)?)${NO_UNIT_AFTER}`),
  {
    key: 'limit',
    phrase: phrase(`(?:only|just) (?:this|the (?:home|front|start(?:ing)?|landing)) ?page`),
    toOptions: () => ({ limit: 1 }),
  },
  setOption('allowSubdomains', `${NOT}${FILLER} sub-?domains?`, false),
  setOption(
    'allowSubdomains',
    `(?:includ(?:e|ing)|with|and|plus|across|all|allow|follow|crawl|also)${FILLER} sub-?domains?|sub-?domains? (?:too|as well|included)`,
    true,
  ),
  setOption(
    'allowExternalLinks',
    `${NOT}${FILLER} (?:${LINKS}|links? to (?:other|external) (?:web)?(?:sites|domains|pages))|(?:only )?(?:internal links only|only(?: follow)? internal links)|(?:stay|remain|keep) (?:on|within|inside|to) (?:the|this) (?:same )?(?:web)?(?:site|domain)|(?:do not|don't|never) leave (?:the|this) (?:web)?(?:site|domain)`,
    false,
  ),
  setOption(
    'allowExternalLinks',
    `(?:follow|include|including|allow|crawl|visit|with|and|also)${FILLER} (?:${LINKS}|links? to (?:other|external) (?:web)?(?:sites|domains|pages))`,
    true,
  ),
  setOption('sitemap', `${NOT}${FILLER} site-?maps?(?:\\.xml)?`, 'skip'),
  setOption(
    'sitemap',
    `(?:only|just|nothing but)(?: (?:use|from|pages|urls|what is|listed|crawl|read)){0,3}(?: (?:in|from))?(?: the)? site-?map(?:\\.xml)?|site-?map(?:\\.xml)? only`,
    'only',
  ),
  setOption('sitemap', `(?:use|include|read|with|including)(?: the)? site-?map(?:\\.xml)?`, 'include'),
  setDelay(
    `(?:wait|pause|sleep|delay|rest)(?: (?:for|of|at least|about)){0,2} ${NUMBER} ?${UNIT}(?: (?:between|after|before)(?: (?:each|every|the|two|all))?(?: (?:requests?|pages?|fetch(?:es)?|calls?))?)?`,
  ),
  setDelay(
    `${NUMBER}[ -]?${UNIT} (?:delay|pause|wait|between(?: (?:each|every|the|two|all))?(?: (?:requests?|pages?|fetch(?:es)?|calls?))?)`,
  ),
  setDelay(`(?:one|1|a) (?:request|page) every ${NUMBER} ?${UNIT}`),
  setOption(
    'ignoreQueryParameters',
    `(?:keep|respect|do not ignore|don't ignore|preserve)${FILLER} ${QUERY}`,
    false,
  ),
  setOption(
    'ignoreQueryParameters',
    `(?:ignore|ignoring|drop|strip|remove|disregard|without|no)${FILLER} ${QUERY}`,
    true,
  ),
  setOption(
    'ignoreRobotsTxt',
    `(?<!(?:not|don't|never) )(?:respect|obey|honou?r|follow|do not ignore|don't ignore)${FILLER} robots(?:\\.txt)?`,
    false,
  ),
  setOption(
    'ignoreRobotsTxt',
    `(?:ignore|ignoring|bypass|disregard|(?:do not|don't) (?:respect|obey|honou?r|follow))${FILLER} robots(?:\\.txt)?`,
    true,
  ),
  setOption(
    'deduplicateSimilarURLs',
    `${NOT}(?: (?:any|the))? (?:de-?duplicat(?:e|ion)|de-?dupe?)(?: (?:similar )?(?:urls?|pages?))?|(?:keep|include)${FILLER} (?:duplicates?|similar (?:urls?|pages?))`,
    false,
  ),
  setOption(
    'deduplicateSimilarURLs',
    `de-?duplicate(?: (?:similar )?(?:urls?|pages?))?|de-?dupe|(?:skip|no|without|ignore|avoid)${FILLER} (?:duplicates?|duplicate (?:urls?|pages?)|similar (?:urls?|pages?))`,
    true,
  ),
  setOption(
    'crawlEntireDomain',
    `(?:not|don't crawl|do not crawl)(?: the)? (?:entire|whole|complete|full) (?:web)?(?:site|domain)`,
    false,
  ),
  setOption(
    'crawlEntireDomain',
    `(?:entire|whole|complete|full) (?:web)?(?:site|domain)|(?:everything|all(?: the)? pages|every page) (?:on|of|in|from) (?:the|this) (?:web)?(?:site|domain)|parent(?: and sibling)? (?:pages|paths|links)`,
    true,
  ),
];
