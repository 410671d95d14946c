/** Ports that belong to a scheme, which keys leave out. */
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Makes the key by which the indexes of web archives sort URLs (Sort-friendly URI Reordering Transform, as the
 * Python package `surt` has it): the labels of the host from the right, without `www`, then the path and the
 * sorted query, in lower case.
 * @example surtKey('https://www.Example.com/A?b=2&a=1') // 'com,example)/a?a=1&b=2'
 * @returns the text itself if it is no URL
 */
export function surtKey(text: string): string {
  const url = URL.parse(text);
  if (!url) return text;
  const host = url.hostname
    .toLowerCase()
    .replace(/^www\d*\./, '')
    .replace(/\.$/, '');
  const labels = host.startsWith('[') ? host : host.split('.').reverse().join(',');
  const port = url.port && url.port !== DEFAULT_PORTS[url.protocol] ? `:${url.port}` : '';
  const path = url.pathname
    .toLowerCase()
    .replace(/\/{2,}/g, '/')
    .replace(/(?<=.)\/$/, '');
  const query = url.search.slice(1).toLowerCase().split('&').filter(Boolean).sort().join('&');
  return `${labels}${port})${path}${query && `?${query}`}`;
}
