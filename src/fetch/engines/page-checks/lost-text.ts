import { detectChallenge } from './challenge.ts';
import { isUnfilledShell } from './needs-browser.ts';
import { scanTags, type TagHandler } from './scan-tags.ts';

/** A rendered page with more characters of text has not lost its text. */
const MAX_LEFT = 3_000;
/** A response with at most this many characters of text has none that could be lost. */
const MIN_SENT = 300;
/** Which share of its text a page has at most if its scripts have removed it. */
const MAX_SHARE = 0.3;
/** The same for a page whose document had not ended when it was read, where any part may be missing. */
const MAX_SHARE_OF_UNENDED = 0.9;
/** The first characters of a page, which are enough to find that most pages have text. */
const BEGINNING_CHARACTERS = 100_000;
/** Longer pages are taken as they are rendered. */
const MAX_CHARACTERS = 5_000_000;

const PASSWORD_FIELD = /<input\b[^<>]{0,500}\stype\s*=\s*["']?password/i;

/** Whether a rendered page has so little text that its response may have had much more. */
export const hasLittleText = (html: string): boolean =>
  html.length <= MAX_CHARACTERS &&
  countText(html.slice(0, BEGINNING_CHARACTERS)).shown <= MAX_LEFT &&
  countText(html).shown <= MAX_LEFT;

/**
 * Whether scripts have removed the text with which a page was sent, or kept it from being shown. A shell that
 * scripts fill has no such text; a challenge and a form for a password take the place of the page on purpose.
 * @param page.html the rendered page
 * @param page.source the HTML of the response
 * @param page.hasEnded whether the document had ended when the page was read
 */
export function hasLostText({
  html,
  source,
  hasEnded,
}: {
  html: string;
  source: string;
  hasEnded: boolean;
}): boolean {
  if (Math.max(html.length, source.length) > MAX_CHARACTERS) return false;
  const { shown, withoutScripts } = countText(source);
  const sent = shown + withoutScripts;
  const maxLeft = sent * (hasEnded ? MAX_SHARE : MAX_SHARE_OF_UNENDED);
  return (
    sent > MIN_SENT &&
    countText(html).shown < maxLeft &&
    !(PASSWORD_FIELD.test(html) && !PASSWORD_FIELD.test(source)) &&
    !detectChallenge({ kind: 'html', text: html }) &&
    !isUnfilledShell(source)
  );
}

/** Counts the characters of text in HTML, those that are shown only where scripts do not run apart. */
function countText(html: string): { shown: number; withoutScripts: number } {
  const count = { shown: 0, withoutScripts: 0 };
  const ignore = () => undefined;
  const readerFor = (part: keyof typeof count): TagHandler => ({
    text: ({ length }) => (count[part] += length),
    comment: ignore,
    open: ignore,
    close: ignore,
    hidden: (name, _tag, inside) => {
      if (name === 'noscript' && part === 'shown') scanTags(inside, readerFor('withoutScripts'));
    },
  });
  scanTags(html.toLowerCase(), readerFor('shown'));
  return count;
}
