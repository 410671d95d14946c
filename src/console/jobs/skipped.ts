import { html } from 'htm/preact';
import { send } from '../api.ts';
import { OuterLink } from '../elements/markdown.ts';
import { usePolling } from '../polling.ts';

interface PageErrors {
  errors: { id: string; url: string; code?: string; error: string }[];
  robotsBlocked: string[];
  robotsBlockedCount?: number;
}

/** The code with which the API lists home pages of other sites. */
const OTHER_SITE = 'EXTERNAL_LINK';

/** The URLs that a crawl found and left out. */
export function Skipped({ path }: { path: string }) {
  const { value, error } = usePolling(
    async (signal) => (await send<PageErrors>({ path: `${path}/errors`, signal })).body,
    () => undefined,
    path,
  );
  if (error) return html`<p class="error" role="alert">${error.message}</p>`;
  if (!value)
    return html`<p class="waiting" role="status"><span class="spinner" />Reading what was skipped…</p>`;
  const { robotsBlocked, robotsBlockedCount = robotsBlocked.length } = value;
  const others = value.errors.filter(({ code }) => code === OTHER_SITE);
  if (!robotsBlockedCount && !others.length) {
    return html`<div class="empty"><p>robots.txt excludes no URL that the crawl found. Links out of its scope, such as those to other sites, are not listed.</p></div>`;
  }
  return html`
    ${section(`Excluded by robots.txt (${robotsBlockedCount.toLocaleString()})`, robotsBlocked)}
    ${section(
      'Home pages of other sites',
      others.map(({ url }) => url),
    )}`;
}

const section = (title: string, urls: string[]) =>
  urls.length > 0 &&
  html`
    <section class="card" aria-label=${title}>
      <h2>${title}</h2>
      <ul class="links">${urls.map((url) => html`<li key=${url}><${OuterLink} url=${url} /></li>`)}</ul>
    </section>`;
