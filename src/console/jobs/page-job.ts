import { html } from 'htm/preact';
import { send } from '../api.ts';
import { Explanation } from '../elements/explanation.ts';
import { count, duration, pace } from '../elements/format.ts';
import { Tabs } from '../elements/tabs.ts';
import { Icon } from '../icons.ts';
import { usePolling } from '../polling.ts';
import { useAction } from '../use-action.ts';
import { JobDeliveries } from '../webhooks/deliveries.ts';
import { Exports } from './exports.ts';
import { FirstPage } from './job-target.ts';
import { type JobStatus, KIND_TITLES } from './listed-job.ts';
import { Pace } from './pace.ts';
import { Failures, Pages } from './pages.ts';
import { Retuning } from './retuning.ts';
import { Skipped } from './skipped.ts';
import { Progress, State } from './state.ts';
import { WorkflowLink } from './workflow-link.ts';

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
  archivedBytes?: number;
}
const PATHS: Record<string, string> = { crawl: '/v2/crawl', batch_scrape: '/v2/batch/scrape' };
const POLL_MS = 1000;

/** A batch or crawl: how far it is, its pages, and what failed. */
export function PageJob({ kind, id }: { kind: string; id: string }) {
  const path = `${PATHS[kind]}/${id}`;
  const { fault, count: acts, run } = useAction();
  const { value, error } = usePolling(
    async (signal) => (await send<PageJobStatus>({ path: `${path}?limit=1`, signal })).body,
    ({ status }) => (status === 'scraping' ? POLL_MS : undefined),
    path,
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
    <${FirstPage} path=${path} isBatch=${kind === 'batch_scrape'} />
    <section class="card job-head" aria-label="Progress">
      <div class="bar">
        <${State} status=${status} isPaused=${isRunning && paused} failed=${failed} />
        <span class="facts" role="status">
          <span>${(completed + failed).toLocaleString()} of ${count(total, 'page')}</span>
          ${failed > 0 && html`<span class="bad">${failed.toLocaleString()} failed</span>`}
          <span>${count(creditsUsed, 'credit')}</span>
          <span>${duration(seconds * 1000)}</span>
          <span>${pace((completed + failed) / Math.max(seconds, 1))}</span>
        </span>
        ${
          isRunning &&
          html`
            <button type="button" onClick=${post(paused ? 'resume' : 'pause')}>${paused ? 'Resume' : 'Pause'}</button>
            <button type="button" onClick=${() => run({ method: 'DELETE', path })}>Cancel</button>`
        }
        <${WorkflowLink} kind=${kind} id=${id} />
        ${!isRunning && failed > 0 && html`<button type="button" onClick=${post('retry')}>Retry failed pages</button>`}
      </div>
      <${Progress} total=${total} completed=${completed} failed=${failed} />
      ${fault && html`<p class="error" role="alert">${fault}</p>`}
      ${warning && html`<p class="warning"><${Icon} name="warning" /><span>${warning}</span></p>`}
      ${error && html`<p class="notice" role="status">${error.message}</p>`}
      ${completed > 0 && html`<${Exports} path=${path} archivedBytes=${value.archivedBytes} />`}
      ${isRunning && html`<${Retuning} path=${path} isCrawl=${kind === 'crawl'} onSend=${run} />`}
      ${!isRunning && html`<${Explanation} jobId=${id} question="Why did this job end as it did, and what would improve it?" />`}
    </section>
    <${Tabs} key="pages" label="Pages" tabs=${[
      {
        name: 'Pages',
        note: completed.toLocaleString(),
        content: () =>
          html`<${Pages} path=${path} completed=${completed} failed=${failed} isRunning=${isRunning} />`,
      },
      {
        name: 'Hosts and pace',
        content: () =>
          html`<${Pace} path=${path} isRunning=${isRunning} began=${createdAt} seconds=${seconds} />`,
      },
      ...(failed > 0
        ? [
            {
              name: 'Failures',
              note: failed.toLocaleString(),
              content: () => html`<${Failures} path=${path} failed=${failed} isRunning=${isRunning} />`,
            },
          ]
        : []),
      ...(kind === 'crawl' ? [{ name: 'Skipped', content: () => html`<${Skipped} path=${path} />` }] : []),
      {
        name: 'Webhook events',
        content: () => html`<${JobDeliveries} jobId=${id} />`,
      },
    ]} />`;
}
