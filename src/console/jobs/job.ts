import { html } from 'htm/preact';
import { type ApiResponse, send } from '../api.ts';
import { Explanation } from '../elements/explanation.ts';
import { JsonTree } from '../elements/json-tree.ts';
import { OPERATIONS, type Operation } from '../playground/operations.ts';
import { Result } from '../playground/result.ts';
import { usePolling } from '../polling.ts';
import { BASE } from '../router.ts';
import { LiveEvents } from '../sessions/live-events.ts';
import { Replay } from '../sessions/replay.ts';
import { Why } from '../why/why.ts';
import { isUpload, JobTarget } from './job-target.ts';
import { KIND_TITLES } from './listed-job.ts';
import { PageJob } from './page-job.ts';
import { WorkflowLink } from './workflow-link.ts';

type Values = Record<string, unknown>;

/** The paths by which jobs are read that have no pages of their own, by their kind. */
const PATHS: Record<string, string> = {
  scrape: '/v2/scrape',
  extract: '/v2/extract',
  agent: '/v2/agent',
  browser: '/v2/browser',
  interact: '/v2/interact',
};
const POLL_MS = 1500;
const RUNNING = new Set(['scraping', 'processing', 'active']);

/** One job, by its kind and id. */
export function JobView({ parameters: [kind = '', id = ''] }: { parameters: (string | undefined)[] }) {
  return html`
    <nav class="trail" aria-label="Where you are"><a href=${`${BASE}/jobs`}>Jobs</a> / ${KIND_TITLES[kind] ?? kind}</nav>
    ${
      kind === 'crawl' || kind === 'batch_scrape'
        ? html`<${PageJob} key=${id} kind=${kind} id=${id} />`
        : html`<${SingleJob} key=${id} kind=${kind} id=${id} />`
    }`;
}

function SingleJob({ kind, id }: { kind: string; id: string }) {
  const path = PATHS[kind];
  const { value, error } = usePolling(
    async (signal): Promise<ApiResponse<Values> | undefined> =>
      path ? await send<Values>({ path: `${path}/${id}`, signal }) : undefined,
    (read) => (RUNNING.has(String(read?.body.status)) ? POLL_MS : undefined),
    `${kind}/${id}`,
  );
  const title = html`<h1>${KIND_TITLES[kind] ?? kind} <code>${id}</code></h1>`;
  if (!path) {
    return html`${title}<p class="notice">The result of a ${kind} was sent with its response, and is not kept.</p>`;
  }
  const explanation =
    kind === 'scrape' && html`<${Explanation} jobId=${id} question="Why did this scrape go as it did?" />`;
  if (error && !value) {
    return kind === 'scrape' && error.code !== 'NOT_FOUND'
      ? html`${title}<div class="card"><${Why} id=${id} /></div>`
      : html`${title}<p class="error" role="alert"><b>${error.code}</b> ${error.message}</p>`;
  }
  if (!value)
    return html`${title}<p class="waiting" role="status"><span class="spinner" />Reading the job…</p>`;
  const { body } = value;
  const target = targetOf(body);
  const view = body.interactiveLiveViewUrl || body.liveViewUrl;
  const operation = OPERATIONS.find((each) => each.path === path) ?? (OPERATIONS[0] as Operation);
  const source = { name: 'Job', content: () => html`<${JsonTree} value=${{ kind, id }} />` };
  return html`
    ${isUpload(target ?? null) ? html`<h1>Parse <code>${id}</code></h1>` : title}
    ${target && html`<${JobTarget} target=${target} />`}
    <div class="bar">
      ${typeof body.status === 'string' && html`<p class="facts" role="status"><span>${body.status}</span></p>`}
      <${WorkflowLink} kind=${kind} id=${id} />
    </div>
    ${typeof body.error === 'string' && html`<p class="error" role="alert">${body.error}</p>`}
    ${
      body.status === 'active' && typeof view === 'string' && view
        ? html`
          <div class=${body.recordSession === true ? 'watched' : ''}>
            <iframe class="live" src=${new URL(view).pathname} title="Live view of the session" allow="clipboard-write" />
            ${body.recordSession === true && html`<${LiveEvents} id=${id} />`}
          </div>
          <p><a class="button" href=${view} target="_blank" rel="noopener">Open the live view in a tab of its own</a></p>`
        : null
    }
    ${kind === 'browser' && body.recordSession === true && html`<${Replay} id=${id} />`}
    ${explanation}
    ${
      kind === 'scrape'
        ? html`<div class="card"><${Result} operation=${operation} response=${value} request=${source} /></div>`
        : html`<div class="card"><${JsonTree} value=${body} /></div>`
    }`;
}

/** The URL of a scrape. */
function targetOf({ data }: Values): string | undefined {
  const { metadata } = (data ?? {}) as { metadata?: Values };
  return typeof metadata?.sourceURL === 'string' ? metadata.sourceURL : undefined;
}
