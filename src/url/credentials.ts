/**
 * Everything up to the last `@` before the path: that of a URL within a text, or at its start where the scheme was left
 * out. Browsers read backslashes as slashes.
 */
const CREDENTIALS = /(^\s*|https?:[\\/]+)[^\s\\/?#]*@/gi;

/**
 * Removes user names and passwords from the URLs of a text that is shown to others than who wrote it, as the Temporal UI
 * does. Cut such a text only afterwards, because credentials without their end are not recognised.
 * @example
 * withoutCredentials('Crawl of https://user:password@example.com/'); // 'Crawl of https://example.com/'
 */
export const withoutCredentials = (text: string): string => text.replaceAll(CREDENTIALS, '$1');
