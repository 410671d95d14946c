import type { Challenge, FetchedSnapshot } from '../../../content/snapshot.ts';
import { beginningOf, type SourceText, wholeText } from '../../../content/source-text.ts';
import { readChallengeSignals } from './challenge-signals.ts';

/** How many characters at the beginning of a page are searched for markers. */
const MARKER_SEARCH_CHARACTERS = 100_000;
/** Pages with more characters of HTML are not challenges. */
const MAX_CHALLENGE_CHARACTERS = 1_000_000;
/** A page with more characters of text has content of its own, so it is not a challenge. */
const MAX_CHALLENGE_TEXT = 1_500;
/**
 * The first characters of a longer page, which usually have enough text to decide that it is not a challenge.
 */
const BEGINNING_CHARACTERS = 12_000;
/**
 * A page with a captcha and at most this many characters of text is probably a challenge, in any language.
 */
const MAX_TEXT_BESIDE_CAPTCHA = 200;
/**
 * A page that describes itself as a check and has at most this many characters of text is certainly a
 * challenge.
 */
const MAX_CHECK_TEXT = 600;

/**
 * Markers that occur only in challenges, by the maker of the protection. Scripts of the same makers also run
 * on normal pages, so the presence of a script alone is no marker. Rendered pages have `div` elements with
 * `data-original-tag="iframe"` in place of frames. Words and patterns are for text in lower case. The words
 * are a cheap test: the pattern is tried only if one of them occurs.
 */
const MARKERS: [maker: string, words: string[], RegExp][] = [
  [
    'cloudflare',
    ['cf_chl_', '/orchestrate/', 'attention required!'],
    /_cf_chl_opt|\/cdn-cgi\/challenge-platform\/h\/\w\/orchestrate\/|action=["'][^"']{0,500}__cf_chl_|<title>attention required! \| cloudflare/,
  ],
  [
    'datadome',
    ['captcha-delivery.com'],
    /["']host["']\s*:\s*["']geo\.captcha-delivery\.com|<(?:script|iframe|div)[^<>]{0,300}\ssrc=["']https:\/\/(?:geo|ct)\.captcha-delivery\.com/,
  ],
  [
    'perimeterx',
    ['px-captcha', 'captcha.px-c', '_pxuuid'],
    /id=["']?px-captcha["'\s>]|captcha\.px-c(?:dn|loud)\.net\/[^"'<>]{0,100}captcha\.js|_pxuuid\s*=[^;]{0,100};[\s\S]{0,500}_pxvid/,
  ],
  // The frame of a blocked request. The script alone is on all pages that Imperva protects.
  [
    'imperva',
    ['incapsula'],
    /request unsuccessful\. incapsula incident id|<(?:iframe|div)[^<>]{0,200}\ssrc=["'][^"']{0,200}_incapsula_resource/,
  ],
  [
    'aws-waf',
    ['gokuprops', 'awswafintegration'],
    /window\.gokuprops\s*=|awswafintegration\.(?:checkforcerefresh|savereferrer)/,
  ],
  [
    'akamai',
    ['edgesuite.net', 'sec-if-cpt'],
    /<title>access denied<\/title>[\s\S]{0,2000}errors\.edgesuite\.net|(?:id|class)=["']?sec-if-cpt-container/,
  ],
  ['kasada', ['kpsdk'], /window\.kpsdk\s*=\s*\{\}[\s\S]{0,500}ips\.js/],
  ['anubis', ['anubis_'], /\sid=["']?anubis_(?:challenge|version)["'\s>]/],
  ['sucuri', ['sucuri'], /sucuri_cloudproxy_js|<title>sucuri website firewall/],
  ['f5', ['request rejected'], /<title>request rejected<\/title>[\s\S]{0,500}support id/],
  ['ddos-guard', ['ddos-guard'], /<title>ddos-guard<\/title>/],
  ['vercel', ['vercel security'], /<title>vercel security checkpoint<\/title>/],
  ['amazon', ['validatecaptcha'], /action=["']?\/errors\/validatecaptcha/],
  ['yandex', ['checkboxcaptcha'], /class=["'][^"']{0,100}\bcheckboxcaptcha\b/],
];

/** Words without which a page has no captcha. */
const CAPTCHA_WORDS = ['captcha', 'cf-turnstile'];
/**
 * A cheap test: a page that does not match has neither a marker nor a captcha. One search for all words takes
 * a quarter of the time of a lower-case copy and a search for each word. The dots in the words match any
 * character, which does no harm here.
 */
const MENTIONS_CHALLENGE = new RegExp(
  [...MARKERS.flatMap(([, words]) => words), ...CAPTCHA_WORDS].join('|'),
  'i',
);
/** Phrases on pages that check whether the visitor is human. */
const ARE_YOU_HUMAN =
  /(?:verify(?:ing)?|confirm(?:ing)?|prove|check(?:ing)?)\s+(?:that\s+|if\s+)?you(?:['’]re|\s+are)\s+(?:a\s+|not\s+a\s+)?(?:human|robot|bot)\b|(?:are you|i['’]?m|you['’]?re)\s+(?:not\s+)?(?:a\s+)?(?:human|robot|bot)\b|unusual traffic|(?:robot|bot|human|security|captcha) (?:check|verification)\b|(?:complete|solve|enter|pass) (?:the|this|a) captcha\b/i;

/**
 * Detects a challenge: a page that tests or refuses the visitor in place of the requested page. The status of
 * the response does not matter. A page with content of its own is not a challenge, and neither is a page
 * whose captcha protects a form with input fields.
 * @returns `undefined` if the page is not a challenge
 */
export function detectChallenge({
  kind,
  text,
}: Pick<FetchedSnapshot, 'kind' | 'text'>): Challenge | undefined {
  if (kind !== 'html' || beginsWithContent(text)) return undefined;
  const page = wholeText(text);
  if (page.length > MAX_CHALLENGE_CHARACTERS) return undefined;
  const head = page.slice(0, MARKER_SEARCH_CHARACTERS);
  if (!MENTIONS_CHALLENGE.test(head)) return undefined;
  const beginning = head.toLowerCase();
  const marker = MARKERS.find(
    ([, words, pattern]) => words.some((word) => beginning.includes(word)) && pattern.test(beginning),
  );
  if (!marker && !CAPTCHA_WORDS.some((word) => beginning.includes(word))) return undefined;
  const signals = readChallengeSignals(page.toLowerCase());
  // An unclosed header contains the whole page, so its text counts.
  const content = signals.content + signals.unclosed;
  if (content > MAX_CHALLENGE_TEXT) return undefined;
  if (marker) return { maker: marker[0], isCertain: !signals.hasFields };
  if (!signals.hasCaptcha || signals.guardsFields) return undefined;
  const isBare = content <= MAX_TEXT_BESIDE_CAPTCHA;
  const isCheck = ARE_YOU_HUMAN.test(signals.subject) || (isBare && /\bcaptcha\b/.test(signals.subject));
  const isCertain = isCheck && content <= MAX_CHECK_TEXT;
  const isSuspect = isCheck || isBare || ARE_YOU_HUMAN.test(signals.text);
  return isSuspect ? { maker: 'captcha', isCertain } : undefined;
}

/**
 * Whether the beginning of a long page has so much text that the whole page cannot be a challenge. Reading it
 * takes a fifth of the time in which a long page is searched for markers.
 */
function beginsWithContent(text: SourceText): boolean {
  const beginning = beginningOf(text, BEGINNING_CHARACTERS);
  if (beginning.length < BEGINNING_CHARACTERS) return false;
  return readChallengeSignals(beginning.toLowerCase()).content > MAX_CHALLENGE_TEXT;
}
