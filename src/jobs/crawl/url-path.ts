/** Names of index files, which show the same page as their folder. */
const INDEX_FILE =
  /^(?:index\.(?:s?html?|xhtml|php\d?|aspx?|jspx?|cgi|cfm|do)|default\.(?:aspx?|html?|php))$/i;
const ENCODED = /%(?:([0-9A-Fa-f]{2}))?/g;
const UNRESERVED = /[A-Za-z0-9\-._~]/;

/**
 * Normalizes percent-encoding: unnecessary `%41` becomes `A`, `%2f` becomes `%2F`, a lone `%` becomes `%25`.
 */
export function normalizeEncoding(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(ENCODED, (sequence, hex: string | undefined) => {
    if (hex === undefined) return '%25';
    const letter = String.fromCharCode(parseInt(hex, 16));
    return UNRESERVED.test(letter) ? letter : sequence.toUpperCase();
  });
}

/**
 * The index of the first of the slashes that directly precede `end`; `end` itself if there are none. A
 * regular expression would need quadratic time for this.
 */
export function trailingSlashIndex(text: string, end = text.length): number {
  let before = end;
  while (before > 0 && text[before - 1] === '/') before--;
  return before;
}

/** The path of a page in the form that {@link isBelow} expects; empty for the root. */
export const folderPath = (page: URL): string => trimPath(normalizeEncoding(page.pathname));

/** Whether a page is the folder itself or lies below it. All pages lie below the root. */
export function isBelow(folder: string, page: URL): boolean {
  if (folder === '') return true;
  const path = normalizeEncoding(page.pathname);
  return path === folder || path.startsWith(`${folder}/`);
}

/**
 * A path without slashes and index files (`index.html`, `default.aspx`, …) at its end; empty for the root.
 */
export function trimPath(path: string): string {
  let end = path.length;
  for (;;) {
    end = trailingSlashIndex(path, end);
    const start = path.lastIndexOf('/', end - 1) + 1;
    if (start === 0 || !INDEX_FILE.test(path.slice(start, end))) return path.slice(0, end);
    end = start;
  }
}
