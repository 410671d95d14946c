import { html } from 'htm/preact';
import { send } from '../api.ts';
import { ago } from '../elements/format.ts';
import { offsetOf, PART, Pager } from '../elements/pager.ts';
import { useLast, usePolling } from '../polling.ts';
import { BASE, place } from '../router.ts';
import { CheckStrip } from './check-strip.ts';
import { MonitorForm } from './monitor-form.ts';
import { describeTarget, type Monitor } from './monitor-resources.ts';
import { MonitorState } from './monitor-state.ts';
import { type TagGroup, TagGroups, TagLinks } from './tags.ts';

/** How often the list is read again, in milliseconds: while a check in it runs, and otherwise. */
const RUNNING_MS = 2000;
const IDLE_MS = 10_000;

/** The monitors of the team, newest first, and a form that creates one. */
export function MonitorList() {
  const offset = offsetOf(place.value.query);
  const tag = place.value.query.get('tag') ?? '';
  const { value, error } = usePolling(
    async (signal) => {
      // One more than is shown says whether there are more.
      const path = `/v2/monitor?limit=${PART + 1}&offset=${offset}${tag && `&tag=${encodeURIComponent(tag)}`}`;
      return (await send<{ data: Monitor[]; tags: TagGroup[] }>({ path, signal })).body;
    },
    ({ data }) => (data.some(({ currentCheckId }) => currentCheckId) ? RUNNING_MS : IDLE_MS),
    `${offset} ${tag}`,
  );
  // The form and the groups stay while another part of the list is read.
  const last = useLast(value);
  return html`
    <h1>Monitors</h1>
    ${error && html`<p class="error" role="alert"><b>${error.code}</b> ${error.message}</p>`}
    ${
      last &&
      html`
        <${MonitorForm} isFirst=${value?.data.length === 0 && !tag} tag=${tag} />
        <${TagGroups} groups=${last.tags} chosen=${tag} />`
    }
    ${!value && !error && html`<p class="waiting" role="status"><span class="spinner" />Reading the monitors…</p>`}
    ${
      value &&
      html`
        ${
          value.data.length
            ? html`<${Monitors} monitors=${value.data.slice(0, PART)} />`
            : html`<div class="empty"><p>${tag ? 'No monitor has this tag.' : 'No page is watched yet. A monitor checks pages on a schedule and tells what changed.'}</p></div>`
        }
        <${Pager} hasMore=${value.data.length > PART} />`
    }`;
}

const Monitors = ({ monitors }: { monitors: Monitor[] }) => html`
  <div class="wide" tabindex="0" role="region" aria-label="Monitors">
    <table class="jobs">
      <thead><tr>
        <th scope="col">State and last checks</th><th scope="col">Monitor</th>
        <th scope="col">Schedule</th><th scope="col" class="number">Next run</th>
      </tr></thead>
      <tbody>${monitors.map((monitor) => {
        const { id, name, tags, schedule, nextRunAt, targets } = monitor;
        return html`
          <tr key=${id}>
            <td><${MonitorState} monitor=${monitor} /><${CheckStrip} monitor=${monitor} /></td>
            <td class="target"><a href=${`${BASE}/monitors/${id}`} dir="auto">${name}</a>
              ${targets.slice(0, 2).map((target) => html`<small dir="auto">${describeTarget(target)}</small>`)}
              ${targets.length > 2 && html`<small>and ${targets.length - 2} more</small>`}
              <${TagLinks} tags=${tags} /></td>
            <td><code>${schedule.cron}</code><br /><small>${schedule.timezone}</small></td>
            <td class="number">${nextRunAt && html`<time datetime=${nextRunAt} title=${new Date(nextRunAt).toLocaleString()}>${ago(nextRunAt)}</time>`}</td>
          </tr>`;
      })}</tbody>
    </table>
  </div>`;
