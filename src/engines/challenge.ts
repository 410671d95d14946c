import type { Challenge, Snapshot } from '../snapshot.ts';
import { readChallengeSignals } from './challenge-signals.ts';

/** How many characters at the beginning of a page are searched for markers. */
const MARKER_SEARCH_CHARACTERS = 100_000;
/** Longer pages are no challenges. */
const MAX_CHALLENGE_CHARACTERS = 1_000_000;
/** With more text a page has content of its own, whatever else is in it. */
const MAX_CHALLENGE_TEXT = 1_500;
/** A captcha with so little text beside it is all that there is, in any language. */
const MAX_TEXT_BESIDE_CAPTCHA = 200;
/** With so little text a page that calls itself a check is one. */
const MAX_CHECK_TEXT = 600;

/**
 * What only the pages that stand in for others have in them. Scripts of the same makers run on pages that are let
 * through too, so their mere presence says nothing. Rendered pages have frames as `<div data-original-tag="iframe">`.
 * Words and patterns are for text in lower case; a page without one of the words is not searched further.
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
  // The frame of the incident, not the script that all pages behind it have.
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

/** A page that does not match has no captcha. */
const CAPTCHA = /captcha|cf-turnstile/;
/** Sentences of pages that are only a check of the visitor. */
const ARE_YOU_HUMAN =
  /(?:verify(?:ing)?|confirm(?:ing)?|prove|check(?:ing)?)\s+(?:that\s+|if\s+)?you(?:['’]re|\s+are)\s+(?:a\s+|not\s+a\s+)?(?:human|robot|bot)\b|(?:are you|i['’]?m|you['’]?re)\s+(?:not\s+)?(?:a\s+)?(?:human|robot|bot)\b|unusual traffic|(?:robot|bot|human|security|captcha) (?:check|verification)\b|(?:complete|solve|enter|pass) (?:the|this|a) captcha\b/i;

/**
 * Whether a page tests or refuses its visitor in place of the page asked for, whatever its status. A page with content
 * of its own never does, nor does one whose captcha guards a form that is to be filled in.
 */
export function detectChallenge({ kind, text }: Pick<Snapshot, 'kind' | 'text'>): Challenge | undefined {
  if (kind !== 'html' || text.length > MAX_CHALLENGE_CHARACTERS) return undefined;
  const beginning = text.slice(0, MARKER_SEARCH_CHARACTERS).toLowerCase();
  const marker = MARKERS.find(
    ([, words, pattern]) => words.some((word) => beginning.includes(word)) && pattern.test(beginning),
  );
  if (!marker && !CAPTCHA.test(beginning)) return undefined;
  const signals = readChallengeSignals(text.toLowerCase());
  if (signals.content > MAX_CHALLENGE_TEXT) return undefined;
  if (marker) return { maker: marker[0], isCertain: !signals.hasFields };
  if (!signals.hasCaptcha || signals.guardsFields) return undefined;
  const isBare = signals.content <= MAX_TEXT_BESIDE_CAPTCHA;
  const isCheck = ARE_YOU_HUMAN.test(signals.subject) || (isBare && /\bcaptcha\b/.test(signals.subject));
  const isCertain = isCheck && signals.content <= MAX_CHECK_TEXT;
  const isSuspect = isCheck || isBare || ARE_YOU_HUMAN.test(signals.text);
  return isSuspect ? { maker: 'captcha', isCertain } : undefined;
}
