/**
 * The URL that was asked for, on the host that answered: a redirect changes where a site is, not which part of it is
 * wanted.
 * @param asked the URL of the request
 * @param answered the URL that it led to
 */
export function siteOf(asked: string, answered: string): string {
  const site = new URL(answered);
  site.pathname = new URL(asked).pathname;
  site.search = '';
  site.hash = '';
  return site.href;
}
