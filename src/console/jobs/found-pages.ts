import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { useEffect, useMemo } from 'preact/hooks';
import { send } from '../api.ts';
import { count } from '../elements/format.ts';
import { OuterLink } from '../elements/markdown.ts';
import { ROW_PX, VirtualList } from '../elements/virtual-list.ts';
import { usePolling } from '../polling.ts';
import { place, setQuery } from '../router.ts';
import { Why } from '../why/why.ts';
import { PageDocument } from './documents.ts';
import { RowParts } from './row-parts.ts';

/** A page of a batch or crawl, as `GET …/{id}/pages` lists it. */
interface ListedPage {
  id: string;
  url: string;
  status: 'waiting' | 'scraping' | 'completed' | 'failed';
  code: string | null;
  error: string | null;
}

/** The first part of a list of pages. */
interface PageList {
  total: number;
  errorCodes: { code: string; pages: number }[];
}

const POLL_MS = 3000;
/** As many as the API counts. */
const MAX_COUNTED = 100_000;

/** The states of a page as people name them, by their names in the API. */
export const PAGE_STATES: Record<ListedPage['status'], string> = {
  completed: 'Scraped',
  scraping: 'Being scraped',
  waiting: 'Waiting',
  failed: 'Failed',
};

/**
 * The pages of a batch or crawl that match a filter, and the one that was chosen below them.
 * @param props.path of the list in the API
 * @param props.revision a change reads the list again
 */
export function FoundPages({
  path,
  filter,
  isRunning,
  revision,
}: {
  path: string;
  filter: Record<string, string>;
  isRunning: boolean;
  revision: string;
}) {
  const key = `${path}?${new URLSearchParams({ ...filter, limit: '1' })}`;
  const { value, error } = usePolling(
    async (signal) => (await send<PageList>({ path: key, signal })).body,
    () => (isRunning ? POLL_MS : undefined),
    `${key} ${isRunning ? '' : revision}`,
  );
  if (error && !value) return html`<p class="error" role="alert">${error.message}</p>`;
  if (!value)
    return html`<p class="waiting" role="status"><span class="spinner" />Looking for the pages…</p>`;
  return html`
    ${filter.status === 'failed' && html`<${Codes} codes=${value.errorCodes} chosen=${filter.errorCode ?? ''} />`}
    <p class="facts" role="status"><span>${value.total === MAX_COUNTED ? 'at least ' : ''}${count(value.total, 'page')}</span></p>
    ${
      value.total
        ? html`<${List} key=${key} path=${path} filter=${filter} read=${value} />`
        : html`<div class="empty"><p>No page of this job matches.</p></div>`
    }`;
}

/** Buttons that show the pages that failed with one code. */
const Codes = ({ codes, chosen }: { codes: PageList['errorCodes']; chosen: string }) => html`
  <div class="bar" role="group" aria-label="Show failures with this code">
    ${codes.map(
      ({ code, pages }) => html`
        <button type="button" class="quiet" aria-pressed=${code === chosen} onClick=${() =>
          setQuery({
            code: code === chosen ? '' : code,
          })}>${code} <small>${pages.toLocaleString()}</small></button>`,
    )}
  </div>`;

function List({ path, filter, read }: { path: string; filter: Record<string, string>; read: PageList }) {
  const { total } = read;
  const parts = useMemo(() => new RowParts<ListedPage>(path, filter), []);
  const chosen = useSignal<ListedPage | undefined>(undefined);
  const shown = useSignal({ from: 0, to: 0 });
  // Pages of a running job change their state, so those on the screen are read again with each count.
  useEffect(() => parts.show({ ...shown.value, total }, true), [read]);
  const pages = parts.rows.value;
  return html`
    ${parts.fault.value && html`<p class="error" role="alert">${parts.fault.value}</p>`}
    <${VirtualList}
      label="Pages" total=${total} rowPx=${ROW_PX}
      onShow=${(from: number, to: number) => {
        shown.value = { from, to };
        parts.show({ from, to, total });
      }}
      row=${(index: number) => {
        const page = pages.get(index);
        const number = html`<small class="number">${(index + 1).toLocaleString()}</small>`;
        if (!page) return html`<span class="row">${number}<small>…</small></span>`;
        return html`
          <button type="button" class="row found" aria-pressed=${chosen.value?.id === page.id} onClick=${() => {
            chosen.value = page;
          }}>${number}<${PageUrl} url=${page.url} />
            <small class=${page.status === 'failed' ? 'bad' : ''} title=${page.error ?? ''}>${page.code ?? PAGE_STATES[page.status]}</small>
          </button>`;
      }}
    />
    ${chosen.value && html`<${FoundPage} key=${chosen.value.id} page=${chosen.value} />`}`;
}

/** The path of a page, and its host below, so that pages of one host can be told apart on a phone. */
function PageUrl({ url }: { url: string }) {
  const { host, pathname, search } = URL.parse(url) ?? { host: '', pathname: url, search: '' };
  return html`<span class="page-url" title=${url}><b dir="auto">${pathname}${search}</b><small>${host}</small></span>`;
}

/** What became of a page: its document, or why there is none. */
function FoundPage({ page: { id, url, status, code, error } }: { page: ListedPage }) {
  const { value, error: fault } = usePolling(
    async (signal) =>
      status === 'completed'
        ? (await send<{ data: Record<string, unknown> }>({ path: `/v2/scrape/${id}`, signal })).body.data
        : undefined,
    () => undefined,
    id,
  );
  if (value) return html`<${PageDocument} document=${value} />`;
  if (status === 'completed' && !fault)
    return html`<p class="waiting" role="status"><span class="spinner" />Reading the document…</p>`;
  return html`
    <section class="card" aria-label="Page">
      <h2 dir="auto"><${OuterLink} url=${url} /></h2>
      ${fault && html`<p class="error" role="alert">${fault.message}</p>`}
      ${code && html`<p class="error"><b>${code}</b> ${error}</p>`}
      ${status === 'waiting' ? html`<p>The page has not been scraped.</p>` : html`<${Why} id=${id} hasError=${false} />`}
    </section>`;
}

/** What the URL of the view asks for, as parameters of the API. */
export function filterOf(status: string): Record<string, string> {
  const { query } = place.value;
  const search = query.get('search') ?? '';
  const errorCode = status === 'failed' ? (query.get('code') ?? '') : '';
  return { ...(status && { status }), ...(errorCode && { errorCode }), ...(search && { search }) };
}
