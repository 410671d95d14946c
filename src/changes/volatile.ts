import { isIdleParameter } from '../url-parameters.ts';

/** Names of query parameters that keep copies from being used, and of nothing else. */
const BUSTER = /^(?:_|cb|cache_?bust(?:er)?|no_?cache|rnd|rand|random|timestamp)$/;
/** Names that mean the same where their value looks made by a machine, or on a file of the page's dress. */
const MAYBE_BUSTER = /^(?:v|ver|version|rev|t|ts|time|r|h|hash|build)$/;
const MACHINE_MADE = /^(?=[0-9a-f.-]*\d)(?:\d{8,}|0\.\d{4,}|[0-9a-f]{8,}|[0-9a-f]{8}-[0-9a-f-]{27})$/i;
const DRESS = /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|css|js|mp4|webm|woff2?)$/i;
/** Tokens against forged forms. */
const FORGERY =
  /^(?:_?(?:csrf|xsrf)[_-]?(?:token)?|csrfmiddlewaretoken|authenticity_token|__requestverificationtoken|_token|requesttoken|(?:_wp)?_?nonce|form_?(?:key|token|build_id))$/;
/** What signs an address for a while. */
const SIGNATURE =
  /^(?:x-(?:amz|goog)-[a-z-]+|signature|sig|expires|key-pair-id|hdnts|hdnea|oh|oe|_nc_[a-z_]+)$/;
/** Names that mean a token where their value looks like one. */
const MAYBE_TOKEN = /^(?:token|key|auth|hmac|policy|state|visitor_?id|request_?id|rid|uid)$/;
const OPAQUE = /^(?=.*\d)(?:[0-9a-f]{16,}|[0-9a-z_%.~-]{24,})$/i;

/** An address in markdown, where parentheses stand behind backslashes. */
const ADDRESS = /https?:\/\/(?:\\.|[^\s<>\\)\]])+/gi;
const SERVLET_SESSION = /;jsessionid=[^/;?#)]*/i;

/** Longer lines are prose, where a number in front of such a word is part of what is told. */
const MOST_COUNTER_CHARACTERS = 120;
const COUNTED =
  '(?:page ?)?views?|visits?|visitors?|hits?|reads?|(?:dis)?likes?|shares?|retweets?|reposts?|upvotes?|comments?|repl(?:y|ies)|reactions?|followers?|subscribers?|viewers?|watching(?: now)?|(?:users?|people|members?|guests?) (?:online|(?:are )?viewing|watching)';
/** Bold, italic. */
const MARKS = '[*_]{0,3}';
const AMOUNT = '\\d[\\d.,]* ?[kmb]?\\+?';
const COUNTER = new RegExp(
  `(?<![\\p{L}\\d])(?:${AMOUNT}${MARKS} (?:${COUNTED})|(?:${COUNTED})${MARKS} ?:?${MARKS} ?${MARKS}\\(?${AMOUNT}\\)?)(?![\\p{L}\\d])`,
  'giu',
);

const word = (pattern: string) => `(?<![\\p{L}\\d])(?:${pattern})(?![\\p{L}\\d])`;
/** How long ago something was, in the languages of most sites. */
const AGO = new RegExp(
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
/** How long the server took. */
const TOOK =
  /(?<![\p{L}\d])(generated|rendered|loaded|served|executed) in \d[\d.,]* ?(?:ms|milliseconds?|s|secs?|seconds?)(?![\p{L}\d])/giu;

const UNSEEN = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;

/**
 * A line of markdown without what changes by itself: two lines are the same when this is the same of both.
 *
 * - White space and invisible characters: any run counts as one blank, none at the ends; Unicode in its composed form.
 * - In addresses: sessions and trackers (`isIdleParameter`, `;jsessionid=`), tokens against forged forms, signatures
 *   with their time, cache busters. Names that may mean something else count as such only by their value: `?v=1700000000`
 *   is one, `?v=dQw4w9WgXcQ` a video.
 * - How long ago something was (`3 minutes ago`), in ten languages; how long the server took (`rendered in 0.2 s`).
 * - Counters (`1,234 views`, `Comments (7)`) on short lines. Prices, stock, votes, ratings, dates and times stay.
 */
export function stableLine(line: string): string {
  let text = line.normalize('NFC').replace(UNSEEN, '').replace(/\s+/g, ' ').trim();
  let visible = text.length;
  if (text.includes('://')) {
    text = text.replace(ADDRESS, (address) => {
      visible -= address.length;
      return stableAddress(address);
    });
  }
  text = text.replace(AGO, '#').replace(TOOK, '$1 #');
  return visible <= MOST_COUNTER_CHARACTERS ? text.replace(COUNTER, '#') : text;
}

function stableAddress(address: string): string {
  const [whole, hash = ''] = splitAt(address, '#');
  const [page, query] = splitAt(whole, '?');
  const path = page.replace(SERVLET_SESSION, '');
  if (query === undefined) return path + hash;
  const isDress = DRESS.test(path);
  const kept = query
    .slice(1)
    .split('&')
    .filter((part) => !isVolatile(part, isDress));
  return path + (kept.length ? `?${kept.join('&')}` : '') + hash;
}

/** A text up to a sign, and from it on. */
function splitAt(text: string, sign: string): [string, string?] {
  const at = text.indexOf(sign);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at)];
}

function isVolatile(part: string, isDress: boolean): boolean {
  const [name, rest] = splitAt(part, '=');
  const key = name.replaceAll('\\', '').toLowerCase();
  // Nothing but a number or a hash behind the question mark.
  if (rest === undefined) return MACHINE_MADE.test(key) || (isDress && /^[\d.]+$/.test(key));
  const value = rest.slice(1);
  if (isIdleParameter(key, value)) return true;
  if (BUSTER.test(key) || FORGERY.test(key) || SIGNATURE.test(key)) return true;
  if (MAYBE_BUSTER.test(key)) return isDress || MACHINE_MADE.test(value);
  return MAYBE_TOKEN.test(key) && OPAQUE.test(value);
}
