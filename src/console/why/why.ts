import { html } from 'htm/preact';
import { send } from '../api.ts';
import { Explanation } from '../elements/explanation.ts';
import { bytes, count, duration } from '../elements/format.ts';
import { OuterLink } from '../elements/markdown.ts';
import { usePolling } from '../polling.ts';
import { BASE } from '../router.ts';
import type { Attempt, PageWhy } from './page-why.ts';
import { Waterfall } from './waterfall.ts';

const POLL_MS = 1500;
const WAITS: Record<string, string> = {
  slot: 'a slot of the team',
  turn: 'its turn in the job',
  host: 'the delay of the host',
  robots: 'robots.txt',
  browser: 'a browser',
  parser: 'a parser of documents',
};
const VERDICTS = { hit: 'a copy was taken', miss: 'no copy was taken', skipped: 'not looked for' };

/**
 * Why a page went as it did: one sentence, a waterfall, and the facts behind it.
 * @param hasError whether the error of the page is shown as well
 */
export function Why({ id, hasError = true }: { id: string; hasError?: boolean }) {
  const { value, error } = usePolling(
    async (signal) => (await send<PageWhy>({ path: `/v2/scrape/${id}/why`, signal })).body,
    ({ status }) => (status === 'scraping' ? POLL_MS : undefined),
    id,
  );
  if (error && !value) return html`<p class="notice" role="status">${error.message}</p>`;
  if (!value) return html`<p class="waiting" role="status"><span class="spinner" />Reading the record…</p>`;
  return html`
    <section class="why" aria-label="Why the page went so">
      <p class="summary" role="status">${value.summary}</p>
      ${hasError && value.error && html`<p class="error"><b>${value.error.code}</b> ${value.error.message}</p>`}
      <${Waterfall} why=${value} />
      <${Facts} why=${value} />
      <${Explanation} jobId=${id} question="Why did this page go as it did?" label="Ask support about it" />
    </section>`;
}

/** What a waterfall cannot show. */
function Facts({ why }: { why: PageWhy }) {
  const { id, jobId, traceId, cache, waits = [], attempts, tries, documentBytes, credits } = why;
  const sum = credits?.reduce((total, each) => total + each.credits, 0);
  return html`
    <dl class="why-facts">
      ${
        cache &&
        fact('Cache', [
          VERDICTS[cache.verdict],
          cache.ageMs !== undefined && `${duration(cache.ageMs)} old`,
          cache.because,
        ])
      }
      ${waits.length > 0 && fact('Waited for', [waits.map((wait) => `${WAITS[wait.for] ?? wait.for} ${duration(wait.ms)}`).join(', ')])}
      ${tries !== undefined && fact('Tries', [`this is number ${tries}`])}
      ${attempts.map((attempt) => html`<${Redirects} attempt=${attempt} />`)}
      ${documentBytes !== undefined && fact('Document', [bytes(documentBytes)])}
      ${
        credits &&
        sum !== undefined &&
        fact('Credits', [
          count(sum, 'credit'),
          credits.map((each) => `${each.rule} ${each.credits}`).join(', '),
        ])
      }
      ${traceId !== undefined && html`<dt>Trace</dt><dd><code>${traceId}</code></dd>`}
      ${
        jobId !== id &&
        html`<dt>Record</dt><dd><a href=${`${BASE}/jobs/scrape/${id}`}>this page by itself</a></dd>`
      }
    </dl>`;
}

const fact = (name: string, parts: (string | false | undefined)[]) =>
  html`<dt>${name}</dt><dd>${parts.filter((part) => part).join(': ')}</dd>`;

/** Where an engine was led to, step by step. */
function Redirects({ attempt: { engine, redirects = [], url } }: { attempt: Attempt }) {
  if (!redirects.length && url === undefined) return null;
  return html`
    <dt>Redirects (${engine})</dt>
    <dd>
      <ol class="redirects">
        ${redirects.map(({ url, by }) => html`<li><${OuterLink} url=${url} /> <small>${by}</small></li>`)}
        ${url !== undefined && html`<li><${OuterLink} url=${url} /> <small>responded</small></li>`}
      </ol>
    </dd>`;
}
