import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { send } from '../api.ts';
import { ago } from '../elements/format.ts';
import { LineDiff } from '../elements/line-diff.ts';
import { usePolling } from '../polling.ts';
import { BASE, place } from '../router.ts';
import { useAction } from '../use-action.ts';
import { HistoryQuestion } from './history-question.ts';
import { type Judgment, PAGE_TITLES, type PageStatus } from './monitor-resources.ts';
import { numberOf, ValuePlot } from './value-plot.ts';

/** What `GET /v2/monitor/{id}/history` lists. */
interface HistoryEntry {
  checkId: string;
  checkedAt: string;
  status: PageStatus;
  hasVersion: boolean;
  judgment: Judgment | null;
}

/** A value of the page over time. */
interface Series {
  field: string;
  points: { checkId: string; checkedAt: string; value: unknown }[];
}

/** The history of a page: its values over time, any two checks compared, and questions about it. */
export function PageHistory({ parameters: [monitorId = ''] }: { parameters: (string | undefined)[] }) {
  const url = place.value.query.get('url') ?? '';
  const target = place.value.query.get('target') ?? '';
  const named = `url=${encodeURIComponent(url)}${target && `&targetId=${encodeURIComponent(target)}`}`;
  const path = `/v2/monitor/${monitorId}`;
  const { value, error } = usePolling(
    async (signal) => {
      const read = async <Body>(part: string) =>
        (await send<{ data: Body }>({ path: `${path}/${part}?${named}`, signal })).body.data;
      const [entries, series] = await Promise.all([
        read<HistoryEntry[]>('history'),
        read<Series[]>('series'),
      ]);
      return { entries, series };
    },
    () => undefined,
    `${path}?${named}`,
  );
  return html`
    <nav class="trail" aria-label="Where you are"><a href=${`${BASE}/monitors`}>Monitors</a> / <a href=${`${BASE}/monitors/${monitorId}`}>Monitor</a> / Page</nav>
    <h1 class="target" dir="auto">${url || 'Page'}</h1>
    ${error && html`<p class="error" role="alert"><b>${error.code}</b> ${error.message}</p>`}
    ${!value && !error && html`<p class="waiting" role="status"><span class="spinner" />Reading the history…</p>`}
    ${
      value &&
      html`
        <${Values} series=${value.series} />
        <${Compare} key=${named} entries=${value.entries} path=${`${path}/compare?${named}`} url=${url} />
        <${HistoryQuestion} path=${path} body=${{ url, ...(target && { targetId: target }) }} monitor=${`${BASE}/monitors/${monitorId}`} />`
    }`;
}

/** The values that change over time: numbers as plots, others by their last value. */
function Values({ series }: { series: Series[] }) {
  const plots = series.flatMap(({ field, points }) => {
    const numbers = points.flatMap(({ checkedAt, value }) => {
      const number = numberOf(value);
      return number === undefined ? [] : [{ checkedAt, value: number }];
    });
    return numbers.length > 1 ? [{ field, numbers }] : [];
  });
  if (!plots.length) return null;
  return html`
    <h2>Values</h2>
    ${plots.map(
      ({ field, numbers }) => html`
        <section class="card" key=${field} aria-label=${field}><h3>${field}</h3><${ValuePlot} name=${field} points=${numbers} /></section>`,
    )}`;
}

/** What `GET /v2/monitor/{id}/compare` returns. */
interface Compared {
  isSame: boolean;
  diff: { text?: string; json?: unknown } | null;
}

function Compare({ entries, path, url }: { entries: HistoryEntry[]; path: string; url: string }) {
  const known = entries.filter(({ hasVersion }) => hasVersion);
  const { fault, run } = useAction();
  const compared = useSignal<Compared | undefined>(undefined);
  const submit = async (event: Event) => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const query = `&from=${String(form.get('from'))}&to=${String(form.get('to'))}`;
    compared.value = (await run<{ data: Compared }>({ path: path + query }))?.data;
  };
  const choice = (
    name: string,
    { checkId, checkedAt, hasVersion }: HistoryEntry,
    chosen: string | undefined,
  ) =>
    html`<td><input type="radio" name=${name} value=${checkId} defaultChecked=${checkId === chosen} disabled=${!hasVersion}
      aria-label=${`${name === 'from' ? 'Compare' : 'With'} the check of ${new Date(checkedAt).toLocaleString()}`} /></td>`;
  if (!entries.length) return html`<div class="empty"><p>No check has seen this page.</p></div>`;
  const [newest, before] = known;
  return html`
    <h2>Checks</h2>
    <form onSubmit=${submit}>
      <div class="wide" tabindex="0" role="region" aria-label="Checks of the page">
        <table class="jobs">
          <thead><tr><th scope="col">Compare</th><th scope="col">With</th><th scope="col">Found</th><th scope="col" class="number">When</th></tr></thead>
          <tbody>${entries.map((entry) => {
            const { checkId, checkedAt, status, judgment } = entry;
            return html`
              <tr key=${checkId}>
                ${choice('from', entry, before?.checkId)}${choice('to', entry, newest?.checkId)}
                <td><span class=${`state ${status}`}>${PAGE_TITLES[status]}</span>${judgment && html` <small dir="auto">${judgment.reason}</small>`}</td>
                <td class="number"><time datetime=${checkedAt} title=${new Date(checkedAt).toLocaleString()}>${ago(checkedAt)}</time></td>
              </tr>`;
          })}</tbody>
        </table>
      </div>
      <button class="primary" disabled=${known.length < 2}>Compare the two</button>
    </form>
    ${fault && html`<p class="error" role="alert">${fault}</p>`}
    <div role="status">${compared.value && html`<${Difference} ...${compared.value} url=${url} />`}</div>`;
}

function Difference({ isSame, diff, url }: Compared & { url: string }) {
  if (isSame) return html`<p>Nothing differs between the two.</p>`;
  if (diff?.text === undefined) return html`<p>The difference is too large to be shown.</p>`;
  return html`<${LineDiff} text=${diff.text} label=${`What differs on ${url}`} />`;
}
