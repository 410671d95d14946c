/**
 * The path of the requested URL on the host that responded. A redirect may change the host of a site, but it
 * does not change which part of the site the user requested.
 * @param requestedUrl the requested URL
 * @param responseUrl the URL of the response after redirects
 */
export function startUrlAfterRedirect(requestedUrl: string, responseUrl: string): string {
  const url = new URL(responseUrl);
  url.pathname = new URL(requestedUrl).pathname;
  url.search = '';
  url.hash = '';
  return url.href;
}
