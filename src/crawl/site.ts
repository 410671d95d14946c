/**
 * The path of the requested URL on the host that responded. A redirect may change the host of a site, but it
 * does not change which part of the site the user requested.
 * @param asked the requested URL
 * @param answered the URL of the response after redirects
 */
export function siteOf(asked: string, answered: string): string {
  const site = new URL(answered);
  site.pathname = new URL(asked).pathname;
  site.search = '';
  site.hash = '';
  return site.href;
}
