import { startPages } from '../../test/support/sites/pages.ts';

const PAGES = ['/', '/news', '/prices', '/contact'];

/** The pages that fuzzed requests lead to: a small site, whose pages lead to each other. */
export async function startFuzzSite() {
  const links = PAGES.map((path) => `<a href="${path}">${path}</a>`).join(' ');
  const html = (path: string) =>
    `<title>Page ${path}</title><nav>${links}</nav><main><h1>Page ${path}</h1><p>It costs 5 euros, and has a paragraph of text.</p></main>`;
  const pages = await startPages(Object.fromEntries(PAGES.map((path) => [path, html(path)])));
  return { ...pages, urls: [...PAGES, '/missing'].map((path) => pages.url + path) };
}
