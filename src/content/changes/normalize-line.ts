import { isIrrelevantParameter } from '../../url/irrelevant-parameters.ts';

/** Query parameters that only serve to bypass caches. */
const CACHE_BUSTER = /^(?:_|cb|cache_?bust(?:er)?|no_?cache|rnd|rand|random|timestamp)$/;
/** Names that count as cache busters when their value looks generated, or on an asset such as an image. */
const POSSIBLE_CACHE_BUSTER = /^(?:v|ver|version|rev|t|ts|time|r|h|hash|build)$/;
const MACHINE_MADE = /^(?=[0-9a-f.-]*\d)(?:\d{8,}|0\.\d{4,}|[0-9a-f]{8,}|[0-9a-f]{8}-[0-9a-f-]{27})$/i;
const ASSET = /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|css|js|mp4|webm|woff2?)$/i;
/** Tokens against cross-site request forgery. */
const CSRF_TOKEN =
  /^(?:_?(?:csrf|xsrf)[_-]?(?:token)?|csrfmiddlewaretoken|authenticity_token|__requestverificationtoken|_token|requesttoken|(?:_wp)?_?nonce|form_?(?:key|token|build_id))$/;
/** Parameters of signed URLs that expire. */
const SIGNATURE =
  /^(?:x-(?:amz|goog)-[a-z-]+|signature|sig|expires|key-pair-id|hdnts|hdnea|oh|oe|_nc_[a-z_]+)$/;
/** Names that count as tokens when their value looks like one. */
const POSSIBLE_TOKEN =
  /^(?:(?:[a-z]+_?)?token|key|auth|hmac|policy|state|(?:visitor|request|session|sess|client)_?(?:id|key)|sid|rid|uid)$/;
const OPAQUE_VALUE = /^(?=.*\d)(?:[0-9a-f]{16,}|[0-9a-z_%.~-]{24,})$/i;

/** A URL in markdown, where parentheses are escaped or in pairs. */
const MARKDOWN_URL = /https?:\/\/(?:\\.|\([^\s<>\\()\]]*\)|[^\s<>\\)\]])+/gi;
const SERVLET_SESSION = /;jsessionid=[^/;?#)]*/i;

/** Most characters of a line with counters. Longer lines are prose, where such a number is content. */
const MAX_COUNTER_LINE = 120;
const COUNTED =
  '(?:page ?)?views?|visits?|visitors?|hits?|reads?|(?:dis)?likes?|shares?|retweets?|reposts?|upvotes?|comments?|repl(?:y|ies)|reactions?|followers?|subscribers?|viewers?|watching(?: now)?|(?:users?|people|members?|guests?) (?:online|(?:are )?viewing|watching)';
/** Markdown delimiters of bold and italic. */
const EMPHASIS = '[*_]{0,3}';
const AMOUNT = '\\d[\\d.,]* ?[kmb]?\\+?';
const COUNTER = new RegExp(
  `(?<![\\p{L}\\d])(?:${AMOUNT}${EMPHASIS} (?:${COUNTED})|(?:${COUNTED})${EMPHASIS} ?:?${EMPHASIS} ?${EMPHASIS}\\(?${AMOUNT}\\)?)(?![\\p{L}\\d])`,
  'giu',
);

const word = (pattern: string) => `(?<![\\p{L}\\d])(?:${pattern})(?![\\p{L}\\d])`;
/** Relative times such as "3 minutes ago", in ten languages. */
const RELATIVE_TIME = new RegExp(
  [
    word(
      '(?:(?:about|over|almost|less than) )?(?:an?|one|a few|\\d{1,4}) ?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|mos?|months?|y|yrs?|years?|moments?) ago',
    ),
    word('(?:just|right) now|moments ago'),
    word(
      '(?:vor|il y a|hace|há) (?:(?:etwa|ca\\.|environ|cerca de) )?(?:eine[rm]|wenigen|une?|una?|uma?|quelques|unos|\\d{1,4}) (?:sekunden?|minuten?|min\\.?|stunden?|std\\.?|tag(?:en)?|wochen?|monat(?:en)?|jahr(?:en)?|secondes?|minutes?|heures?|jours?|semaines?|mois|ans?|segundos?|minutos?|horas?|d[ií]as?|semanas?|mes(?:es)?|m[eê]s(?:es)?|años?|anos?)',
    ),
    word(
      "(?:een|un[ao']?|\\d{1,4}) ?(?:seconden?|minuut|minuten|uur|uren|dag(?:en)?|week|weken|maand(?:en)?|jaar|secondi|minut[oi]|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]) (?:geleden|fa)",
    ),
    word('gerade eben|à l’instant|ahora mismo|zojuist'),
    '(?<!\\d)\\d{1,4} ?(?:秒|分|分钟|分鐘|小时|小時|時間|天|日|周|週間|个月|個月|ヶ月|か月|年|초|분|시간|일|주|개월|년) ?(?:前|전)',
  ].join('|'),
  'giu',
);
/** Server timings such as "rendered in 0.2 s". */
const SERVER_TIMING =
  /(?<![\p{L}\d])(generated|rendered|loaded|served|executed) in \d[\d.,]* ?(?:ms|milliseconds?|s|secs?|seconds?)(?![\p{L}\d])/giu;

const INVISIBLE_CHARACTERS = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;

/**
 * Removes the volatile parts of a markdown line. Two lines count as equal when their normalized forms are.
 *
 * - White space and invisible characters: any run becomes one space, none at the ends; Unicode is composed
 *   (NFC).
 * - In URLs: session and tracking parameters (`isIdleParameter`, `;jsessionid=`), CSRF tokens, expiring
 *   signatures and cache busters. Ambiguous names count only by their value: `?v=1700000000` is removed,
 *   `?v=dQw4w9WgXcQ` is a video.
 * - Relative times (`3 minutes ago`) in ten languages, and server timings (`rendered in 0.2 s`).
 * - Counters (`1,234 views`, `Comments (7)`) on short lines. Prices, stock, votes, ratings, dates and times
 *   stay.
 */
export function normalizeLine(line: string): string {
  let text = line.normalize('NFC').replace(INVISIBLE_CHARACTERS, '').replace(/\s+/g, ' ').trim();
  let visible = text.length;
  if (text.includes('://')) {
    text = text.replace(MARKDOWN_URL, (url) => {
      visible -= url.length;
      return normalizeUrl(url);
    });
  }
  text = text.replace(RELATIVE_TIME, '#').replace(SERVER_TIMING, '$1 #');
  return visible <= MAX_COUNTER_LINE ? text.replace(COUNTER, '#') : text;
}

function normalizeUrl(url: string): string {
  const [whole, hash = ''] = splitBefore(url, '#');
  const [page, query] = splitBefore(whole, '?');
  const path = page.replace(SERVLET_SESSION, '');
  if (query === undefined) return path + hash;
  const isDress = ASSET.test(path);
  const kept = query
    .slice(1)
    .split('&')
    .filter((part) => !isVolatile(part, isDress));
  return path + (kept.length ? `?${kept.join('&')}` : '') + hash;
}

/** Splits a text before the first occurrence of a character. */
function splitBefore(text: string, sign: string): [string, string?] {
  const at = text.indexOf(sign);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at)];
}

function isVolatile(part: string, isDress: boolean): boolean {
  const [name, rest] = splitBefore(part, '=');
  const key = name.replaceAll('\\', '').toLowerCase();
  // A bare number or hash after the question mark.
  if (rest === undefined) return MACHINE_MADE.test(key) || (isDress && /^[\d.]+$/.test(key));
  const value = rest.slice(1);
  if (isIrrelevantParameter(key, value)) return true;
  if (CACHE_BUSTER.test(key) || CSRF_TOKEN.test(key) || SIGNATURE.test(key)) return true;
  if (POSSIBLE_CACHE_BUSTER.test(key)) return isDress || MACHINE_MADE.test(value);
  return POSSIBLE_TOKEN.test(key) && OPAQUE_VALUE.test(value);
}
