import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { type ApiResponse, ownPath } from '../api.ts';
import { CopyButton } from '../elements/copy-button.ts';
import { Explanation } from '../elements/explanation.ts';
import { count, duration } from '../elements/format.ts';
import { HttpStatus, isErrorStatus } from '../elements/http-status.ts';
import { JsonTree } from '../elements/json-tree.ts';
import { Markdown, OuterLink } from '../elements/markdown.ts';
import { type Tab, Tabs } from '../elements/tabs.ts';
import { Icon } from '../icons.ts';
import { BASE } from '../router.ts';
import { Why } from '../why/why.ts';
import { type Branding, BrandingView } from './branding.ts';
import { Changes, type ChangeTracking } from './changes.ts';
import { Gallery } from './gallery.ts';
import { type ContentBlock, LeftOut, LeftOutOf } from './left-out.ts';
import type { Operation } from './operations.ts';
import { PageLayouts, type PagesOfPdf, PagesOfRequest } from './page-layout.ts';
import type { PlaygroundRequest } from './request.ts';

type Values = Record<string, unknown>;

/** The kinds of jobs whose progress a view of its own shows, by the operation that begins them. */
const JOB_KINDS: Record<string, string> = {
  crawl: 'crawl',
  batch: 'batch_scrape',
  extract: 'extract',
  agent: 'agent',
  browser: 'browser',
};

/** The result of a request. */
export function Result({
  operation,
  sent,
  response: { body, ms },
  request,
}: {
  operation: Operation;
  /** The request, where it is known. */
  sent?: PlaygroundRequest;
  response: ApiResponse<Values>;
  request: Tab;
}) {
  const data = (body.data ?? body) as Values;
  const kind = JOB_KINDS[operation.id];
  const response: Tab = { name: 'Response', content: () => html`<${JsonTree} value=${body} />` };
  if (kind && typeof body.id === 'string') {
    return html`
      <div class="notice" role="status">
        <p>The ${operation.title.toLowerCase()} has begun.</p>
        <a class="button primary" href=${`${BASE}/jobs/${kind}/${body.id}`}>Watch its progress</a>
      </div>
      <${Tabs} key="job" label="Parts of the response" tabs=${[response, request]} />`;
  }
  const metadata = (data.metadata ?? {}) as Values;
  const credits = body.creditsUsed ?? metadata.creditsUsed;
  const facts = [
    metadata.statusCode !== undefined && html`<${HttpStatus} status=${metadata.statusCode} />`,
    // Of a job that is read again, it would be the time of the reading.
    sent && duration(ms),
    typeof credits === 'number' && count(credits, 'credit'),
    metadata.cacheState === 'hit' && 'from the cache',
  ].filter((fact) => fact);
  const warning = data.warning ?? body.warning;
  // Only pages and files of HTML have parts that are left out.
  const canAsk = sent && metadata.contentShare !== undefined && data.contentBlocks === undefined;
  const leftOut: Tab = {
    name: 'Left out',
    content: () => html`<${LeftOutOf} key=${metadata.scrapeId} sent=${sent} />`,
  };
  const layout: Tab = {
    name: 'Pages',
    content: () => html`<${PagesOfRequest} key=${metadata.scrapeId} sent=${sent} />`,
  };
  const isPdf = String(metadata.contentType ?? '').startsWith('application/pdf');
  const onRequest = [
    ...(sent && isPdf && data.blocks === undefined ? [layout] : []),
    ...(canAsk ? [leftOut] : []),
  ];
  const canJudge = Boolean(canAsk) || data.contentBlocks !== undefined;
  return html`
    ${typeof metadata.title === 'string' && html`<h2 dir="auto">${metadata.title}</h2>`}
    <p class="facts" role="status">${facts.map((fact) => html`<span>${fact}</span>`)}</p>
    <${ErrorPage} metadata=${metadata} />
    ${typeof warning === 'string' && html`<p class="warning"><${Icon} name="warning" /><span>${warning}</span></p>`}
    <${Tabs} key="result" label="Parts of the result" tabs=${[...partsOf(data, canJudge), ...onRequest, response, request]} />`;
}

/**
 * The parts of a document that have a view of their own.
 * @param canJudge whether there is a tab of what was left out
 */
export function partsOf(data: Values, canJudge = data.contentBlocks !== undefined): Tab[] {
  const tabs: Tab[] = [];
  const add = (name: string, value: unknown, show: (value: never) => unknown) => {
    if (value === undefined || value === null) return;
    const note = Array.isArray(value) ? { note: value.length.toLocaleString() } : {};
    const isEmpty = Array.isArray(value) && !value.length;
    tabs.push({
      name,
      ...note,
      content: () =>
        (isEmpty ? html`<div class="empty"><p>There is none.</p></div>` : show(value as never)) as never,
    });
  };
  const { scrapeId } = (data.metadata ?? {}) as Values;
  add('Markdown', data.markdown, (text: string) =>
    text.trim()
      ? html`<${MarkdownPart} text=${text} />`
      : html`<${NoText} key=${scrapeId} id=${scrapeId} canJudge=${canJudge} />`,
  );
  add('Answer', data.answer, (text: string) => html`<${Markdown} text=${text} />`);
  add('Summary', data.summary, (text: string) => html`<${Markdown} text=${text} />`);
  add('Data', data.json, (value: unknown) => html`<${JsonTree} value=${value} />`);
  add('HTML', data.html, (text: string) => html`<${Source} text=${text} />`);
  add('Raw HTML', data.rawHtml, (text: string) => html`<${Source} text=${text} />`);
  add('Links', data.links, (links: unknown[]) => html`<${Links} links=${links} />`);
  add('Web', data.web, (hits: Values[]) => html`<${Hits} hits=${hits} />`);
  add('News', data.news, (hits: Values[]) => html`<${Hits} hits=${hits} />`);
  add('Images', data.images, (images: unknown[]) => html`<${Images} images=${images} />`);
  add(
    'Screenshot',
    data.screenshot,
    (url: string) => html`<img class="screenshot" src=${ownPath(url)} alt="Screenshot of the page" />`,
  );
  add('Changes', data.changeTracking, (changes: ChangeTracking) => html`<${Changes} changes=${changes} />`);
  add('Branding', data.branding, (branding: Branding) => html`<${BrandingView} branding=${branding} />`);
  add('Left out', data.contentBlocks, (blocks: ContentBlock[]) => html`<${LeftOut} blocks=${blocks} />`);
  add(
    'Pages',
    data.blocks,
    (blocks: PagesOfPdf['blocks']) =>
      html`<${PageLayouts} blocks=${blocks} pages=${data.pages as PagesOfPdf['pages']} pageImages=${data.pageImages as PagesOfPdf['pageImages']} />`,
  );
  add('Why', scrapeId, (id: string) => html`<${Why} key=${id} id=${id} />`);
  add('Metadata', data.metadata, (value: unknown) => html`<${JsonTree} value=${value} />`);
  return tabs;
}

/** Tells that what was scraped is the page of an error, which has text like any other. */
const ErrorPage = ({ metadata: { statusCode, error } }: { metadata: Values }) =>
  isErrorStatus(statusCode) &&
  html`<p class="warning"><${Icon} name="warning" /><span>The site answered with HTTP ${statusCode}${typeof error === 'string' && ` (${error})`}, so this is what it says in place of the page.</span></p>`;

/** What is shown in place of empty markdown: how to find out why. */
const NoText = ({ id, canJudge }: { id: unknown; canJudge: boolean }) => html`
  <div class="empty">
    <p>The result has no text. <b>Why</b> tells how the page was read${canJudge && html`, <b>Left out</b> what it has besides`}.</p>
    ${typeof id === 'string' && html`<${Explanation} jobId=${id} question="Why is the content empty?" label="Why is it empty?" />`}
  </div>`;

const Source = ({ text }: { text: string }) =>
  html`<div class="snippet"><${CopyButton} text=${text} /><pre class="code" tabindex="0">${text}</pre></div>`;

function MarkdownPart({ text }: { text: string }) {
  const isRaw = useSignal(false);
  return html`
    <div class="bar">
      <button type="button" class="quiet" aria-pressed=${isRaw.value} onClick=${() => {
        isRaw.value = !isRaw.value;
      }}>Raw</button>
      <${CopyButton} text=${text} />
    </div>
    ${isRaw.value ? html`<pre class="code" tabindex="0">${text}</pre>` : html`<${Markdown} text=${text} />`}`;
}

/** Rows that are shown before the user asks for more. */
const PART = 500;

/** A list of links, which are texts or objects with a title. */
function Links({ links, noun = 'link' }: { links: unknown[]; noun?: string }) {
  const filter = useSignal('');
  const shown = useSignal(PART);
  const rows = links.map((link) =>
    typeof link === 'string' ? { url: link } : (link as { url: string; title?: string }),
  );
  const wanted = filter.value.toLowerCase();
  const found = wanted
    ? rows.filter(({ url, title }) => `${url} ${title ?? ''}`.toLowerCase().includes(wanted))
    : rows;
  return html`
    <div class="bar">
      <input type="search" placeholder="Filter" aria-label=${`Filter ${noun}s`} value=${filter.value} onInput=${(
        event: InputEvent,
      ) => {
        filter.value = (event.target as HTMLInputElement).value;
      }} />
      <small role="status">${count(found.length, noun)}</small>
      <${CopyButton} text=${found.map(({ url }) => url).join('\n')} />
    </div>
    <ol class="links">
      ${found
        .slice(0, shown.value)
        .map(
          ({ url, title }) =>
            html`<li key=${url}>${title && html`<b dir="auto">${title}</b> `}<${OuterLink} url=${url} /></li>`,
        )}
    </ol>
    ${
      found.length > shown.value &&
      html`<button type="button" onClick=${() => {
        shown.value += PART * 4;
      }}>Show more of ${count(found.length, noun)}</button>`
    }`;
}

/** The pictures of a page, or those that a search found, as a gallery with the list of their URLs. */
function Images({ images }: { images: unknown[] }) {
  const urls = images.flatMap((image) => {
    const url = typeof image === 'string' ? image : (image as Values).imageUrl;
    return typeof url === 'string' ? [url] : [];
  });
  return html`<${Gallery} key=${urls[0]} urls=${urls} /><${Links} links=${images} noun="picture" />`;
}

const Hits = ({ hits }: { hits: Values[] }) => html`
  <ol class="hits">
    ${hits.map(
      ({ url, title, description, snippet }) => html`
        <li>
          <${OuterLink} url=${String(url)}>${String(title ?? url)}<//>
          <small>${String(url)}</small>
          <p dir="auto">${String(description ?? snippet ?? '')}</p>
        </li>`,
    )}
  </ol>`;
