import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { send } from '../api.ts';
import { Explanation } from '../elements/explanation.ts';
import { count, duration } from '../elements/format.ts';
import { JsonTree } from '../elements/json-tree.ts';
import { Tabs } from '../elements/tabs.ts';
import { Icon } from '../icons.ts';
import { partsOf } from '../playground/result.ts';
import { usePolling } from '../polling.ts';
import { useAction } from '../use-action.ts';
import { Failures } from './failures.ts';
import { Hosts } from './hosts.ts';
import { type JobStatus, KIND_TITLES } from './listed-job.ts';
import { Retuning } from './retuning.ts';
import { Progress, State } from './state.ts';

type Values = Record<string, unknown>;

/** The status of a batch or crawl. */
interface PageJobStatus {
  status: JobStatus;
  paused?: boolean;
  total: number;
  completed: number;
  failed: number;
  creditsUsed: number;
  createdAt: string;
  duration?: number;
  warning?: string;
  data: Values[];
}
const PATHS: Record<string, string> = { crawl: '/v2/crawl', batch_scrape: '/v2/batch/scrape' };
const POLL_MS = 1000;
/** Documents that are shown at once. */
const PART = 20;

/** A batch or crawl: how far it is, its pages, and what failed. */
export function PageJob({ kind, id }: { kind: string; id: string }) {
  const path = `${PATHS[kind]}/${id}`;
  const skip = useSignal(0);
  const { fault, count: acts, run } = useAction();
  const { value, error } = usePolling(
    async (signal) => {
      // With skip, the request would wait until there are documents.
      const query = `limit=${PART}${skip.value ? `&skip=${skip.value}` : ''}`;
      return (await send<PageJobStatus>({ path: `${path}?${query}`, signal })).body;
    },
    ({ status }) => (status === 'scraping' ? POLL_MS : undefined),
    `${path}?${skip.value}`,
    acts,
  );
  const title = html`<h1>${KIND_TITLES[kind]} <code>${id}</code></h1>`;
  if (error && !value)
    return html`${title}<p class="error" role="alert"><b>${error.code}</b> ${error.message}</p>`;
  if (!value)
    return html`${title}<p class="waiting" role="status"><span class="spinner" />Reading the job…</p>`;
  const { status, paused = false, total, completed, failed, creditsUsed, createdAt, warning } = value;
  const seconds = value.duration ?? (Date.now() - Date.parse(createdAt)) / 1000;
  const isRunning = status === 'scraping';
  const post = (verb: string) => () => run({ method: 'POST', path: `${path}/${verb}` });
  return html`
    ${title}
    <section class="card job-head" aria-label="Progress">
      <div class="bar">
        <${State} status=${status} isPaused=${isRunning && paused} />
        <span class="facts" role="status">
          <span>${(completed + failed).toLocaleString()} of ${count(total, 'page')}</span>
          ${failed > 0 && html`<span class="bad">${failed.toLocaleString()} failed</span>`}
          <span>${count(creditsUsed, 'credit')}</span>
          <span>${duration(seconds * 1000)}</span>
          <span>${((completed + failed) / Math.max(seconds, 1)).toFixed(1)} pages per second</span>
        </span>
        ${
          isRunning &&
          html`
            <button type="button" onClick=${post(paused ? 'resume' : 'pause')}>${paused ? 'Resume' : 'Pause'}</button>
            <button type="button" onClick=${() => run({ method: 'DELETE', path })}>Cancel</button>`
        }
        ${!isRunning && failed > 0 && html`<button type="button" onClick=${post('retry')}>Retry failed pages</button>`}
      </div>
      <${Progress} total=${total} completed=${completed} failed=${failed} />
      ${fault && html`<p class="error" role="alert">${fault}</p>`}
      ${warning && html`<p class="warning"><${Icon} name="warning" />${warning}</p>`}
      ${error && html`<p class="notice" role="status">${error.message}</p>`}
      ${isRunning && html`<${Retuning} path=${path} isCrawl=${kind === 'crawl'} onSend=${run} />`}
      ${!isRunning && html`<${Explanation} jobId=${id} question="Why did this job end as it did, and what would improve it?" />`}
    </section>
    <${Tabs} key="pages" label="Pages" tabs=${[
      {
        name: 'Pages',
        note: completed.toLocaleString(),
        content: () => html`<${Documents} documents=${value.data} skip=${skip} total=${completed} />`,
      },
      {
        name: 'Hosts',
        content: () => html`<${Hosts} path=${path} isRunning=${isRunning} />`,
      },
      ...(failed > 0
        ? [
            {
              name: 'Failures',
              note: failed.toLocaleString(),
              content: () => html`<${Failures} path=${path} failed=${failed} />`,
            },
          ]
        : []),
    ]} />`;
}

function Documents({
  documents,
  skip,
  total,
}: {
  documents: Values[];
  skip: { value: number };
  total: number;
}) {
  if (!documents.length) return html`<div class="empty"><p>No page is done yet.</p></div>`;
  return html`
    <ol class="documents" start=${skip.value + 1}>
      ${documents.map((document, index) => html`<${DocumentRow} key=${skip.value + index} document=${document} />`)}
    </ol>
    <div class="bar">
      <button type="button" disabled=${skip.value === 0} onClick=${() => {
        skip.value = Math.max(0, skip.value - PART);
      }}>Previous</button>
      <small>${skip.value + 1} to ${skip.value + documents.length} of ${total.toLocaleString()}</small>
      <button type="button" disabled=${skip.value + documents.length >= total} onClick=${() => {
        skip.value += PART;
      }}>Next</button>
    </div>`;
}

function DocumentRow({ document }: { document: Values }) {
  const isOpen = useSignal(false);
  const metadata = (document.metadata ?? {}) as Values;
  const url = String(metadata.sourceURL ?? metadata.url ?? '');
  return html`
    <li>
      <details onToggle=${(event: Event) => {
        isOpen.value = (event.currentTarget as HTMLDetailsElement).open;
      }}>
        <summary>
          <b dir="auto">${String(metadata.title ?? url)}</b>
          <small dir="auto">${url}</small>
          <small>${metadata.statusCode !== undefined && `HTTP ${metadata.statusCode}`}</small>
        </summary>
        ${
          isOpen.value &&
          html`<${Tabs} label="Parts of the document" tabs=${[
            ...partsOf(document),
            { name: 'JSON', content: () => html`<${JsonTree} value=${document} />` },
          ]} />`
        }
      </details>
    </li>`;
}
