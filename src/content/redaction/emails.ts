/** Letters and digits of scripts with spaces between words; in others, an address has no visible beginning. */
const WORD = 'A-Za-z0-9\\u00c0-\\u02af\\u0370-\\u1fff';
/** The part before the `@`, at the end of a text (RFC 5322 atoms; letters of other scripts, RFC 6531). */
const ATOM = `[${WORD}!#$%&'*+/=?^_\`{|}~-]+`;
const LOCAL = new RegExp(`${ATOM}(?:\\.${ATOM})*$`, 'u');
const DOMAIN = new RegExp(
  `[${WORD}](?:[${WORD}-]{0,62}\\.){1,6}(?!\\d)[${WORD}][${WORD}-]{0,22}[${WORD}](?![${WORD}@])`,
  'uy',
);
/** `name [at] example [dot] com`, from the bracket. */
const SPELLED_AT =
  /[[({<]\s?(?:at|ät|æt|arroba|chiocciola|@)\s?[\])}>]\s?([\p{L}\p{N}-]{1,63}(?:(?:\.|\s?[[({<]\s?(?:dot|punkt|point|punto|ponto|\.)\s?[\])}>]\s?)[\p{L}\p{N}-]{1,63}){1,5})/iuy;
/** Ends of file names, which follow an `@` in names of images and scripts, such as `logo@2x.png`. */
const FILE =
  /\.(?:png|jpe?g|gif|svg|webp|avif|ico|css|m?js|jsx|tsx?|json|html?|php|woff2?|ttf|mp[34]|pdf|scss|vue)$/i;
const MAX_LOCAL = 64;

/**
 * Finds the e-mail address around an `@`.
 * @param from where it may begin at the earliest
 */
export function findEmail(
  text: string,
  at: number,
  from: number,
): { start: number; end: number } | undefined {
  DOMAIN.lastIndex = at + 1;
  const domain = DOMAIN.exec(text)?.[0];
  if (domain === undefined || FILE.test(domain)) return undefined;
  const local = localBefore(text, at, from);
  // `git@` is the login of hosts for code, and two at signs make a name in a network such as Mastodon.
  if (!local || local === 'git' || text.charAt(at - local.length - 1) === '@') return undefined;
  return { start: at - local.length, end: at + 1 + domain.length };
}

/** Finds an e-mail address whose `@` is spelled, from the bracket before it. */
export function findSpelledEmail(
  text: string,
  at: number,
  from: number,
): { start: number; end: number } | undefined {
  SPELLED_AT.lastIndex = at;
  const found = SPELLED_AT.exec(text);
  if (!found) return undefined;
  const end = at + found[0].length;
  const gap = text.charAt(at - 1) === ' ' ? 1 : 0;
  const local = localBefore(text, at - gap, from);
  return local ? { start: at - gap - local.length, end } : undefined;
}

function localBefore(text: string, at: number, from: number): string {
  const window = text.slice(Math.max(from, at - MAX_LOCAL), at);
  const found = LOCAL.exec(window)?.[0] ?? '';
  // A URL or a quotation before it is no part of it.
  return found.replace(/^.*[/=?'`|]/s, '').replace(/^[-&*]+/, '');
}
