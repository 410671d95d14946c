import { html } from 'htm/preact';
import { send } from '../api.ts';
import { ago, count, duration } from '../elements/format.ts';
import { offsetOf, PART, Pager } from '../elements/pager.ts';
import { usePolling } from '../polling.ts';
import { BASE, goTo, place } from '../router.ts';
import { type Action, useAction } from '../use-action.ts';
import { GoalTrial } from './goal-trial.ts';
import {
  CHECK_TITLES,
  type Check,
  describeCheck,
  describeTarget,
  type Monitor,
  outcomeOf,
} from './monitor-resources.ts';
import { MonitorState } from './monitor-state.ts';
import { ScheduleFields, scheduleOf } from './schedule-fields.ts';
import { TagLinks, tagsOf } from './tags.ts';

/** How often a monitor is read again, in milliseconds: while a check runs, and otherwise. */
const RUNNING_MS = 1500;
const IDLE_MS = 10_000;

/** One monitor, by its id: what it watches, and its checks. */
export function MonitorView({ parameters: [id = ''] }: { parameters: (string | undefined)[] }) {
  return html`
    <nav class="trail" aria-label="Where you are"><a href=${`${BASE}/monitors`}>Monitors</a> / Monitor</nav>
    <${MonitorById} key=${id} path=${`/v2/monitor/${id}`} />`;
}

function MonitorById({ path }: { path: string }) {
  const offset = offsetOf(place.value.query);
  const { fault, count: acts, run } = useAction();
  const { value, error } = usePolling(
    async (signal) => {
      const read = async <Body>(of: string) => (await send<{ data: Body }>({ path: of, signal })).body.data;
      const [monitor, checks] = await Promise.all([
        read<Monitor>(path),
        // One more than is shown says whether there are more.
        read<Check[]>(`${path}/checks?limit=${PART + 1}&offset=${offset}`),
      ]);
      return { monitor, checks };
    },
    ({ monitor }) => (monitor.currentCheckId ? RUNNING_MS : IDLE_MS),
    `${path}?${offset}`,
    acts,
  );
  const message = error ? `${error.code} ${error.message}` : fault;
  return html`
    <h1 dir="auto">${value?.monitor.name ?? 'Monitor'}</h1>
    ${message && html`<p class="error" role="alert">${message}</p>`}
    ${!value && !error && html`<p class="waiting" role="status"><span class="spinner" />Reading the monitor…</p>`}
    ${
      value &&
      html`
        <${Head} monitor=${value.monitor} path=${path} run=${run} />
        <${GoalTrial} key=${value.monitor.goal} monitor=${value.monitor} path=${path}
          save=${(goal: string | null) => run({ method: 'PATCH', path, body: { goal, judgeEnabled: goal !== null } })} />
        <${Checks} monitorId=${value.monitor.id} checks=${value.checks.slice(0, PART)} />
        <${Pager} hasMore=${value.checks.length > PART} />`
    }`;
}

function Head({ monitor, path, run }: { monitor: Monitor; path: string; run: Action['run'] }) {
  const {
    name,
    tags,
    status,
    schedule,
    nextRunAt,
    targets,
    goal,
    webhook,
    feedUrl,
    estimatedCreditsPerMonth,
  } = monitor;
  const isPaused = status === 'paused';
  const change = (body: object) => run({ method: 'PATCH', path, body });
  const remove = async () => {
    if (!confirm(`Delete the monitor ${name}? Its checks can no longer be read then.`)) return;
    if (await run({ method: 'DELETE', path })) goTo('/monitors');
  };
  const rotateFeed = () => {
    if (confirm('Replace the URL of the feed? Programs that read it need the new one.'))
      void run({ method: 'POST', path: `${path}/feed/rotate`, body: {} });
  };
  const retag = (event: Event) => {
    event.preventDefault();
    const text = String(new FormData(event.target as HTMLFormElement).get('tags') ?? '');
    void change({ tags: tagsOf(text) });
  };
  const reschedule = (event: Event) => {
    event.preventDefault();
    void change({ schedule: scheduleOf(new FormData(event.target as HTMLFormElement)) });
  };
  return html`
    <section class="card job-head" aria-label="Monitor">
      <div class="bar">
        <${MonitorState} monitor=${monitor} />
        <span class="facts">
          <span><code>${schedule.cron}</code> ${schedule.timezone}</span>
          ${nextRunAt && html`<span>next run <time datetime=${nextRunAt} title=${new Date(nextRunAt).toLocaleString()}>${ago(nextRunAt)}</time></span>`}
          <span>about ${count(estimatedCreditsPerMonth, 'credit')} a month</span>
        </span>
        <button type="button" class="primary" disabled=${monitor.currentCheckId !== null} onClick=${() => run({ method: 'POST', path: `${path}/run`, body: {} })}>Run now</button>
        <button type="button" onClick=${() => change({ status: isPaused ? 'active' : 'paused' })}>${isPaused ? 'Resume' : 'Pause'}</button>
        <button type="button" onClick=${remove}>Delete</button>
      </div>
      <ul class="links">${targets.map((target) => html`<li key=${target.id} dir="auto">${describeTarget(target)}</li>`)}</ul>
      ${goal !== null && html`<p class="facts"><span>What matters: <span dir="auto">${goal}</span></span></p>`}
      ${webhook && html`<p class="facts"><span>Changes are sent to <span dir="auto">${webhook.url}</span></span></p>`}
      <${TagLinks} tags=${tags} />
      <details>
        <summary>Change the tags</summary>
        <form class="filters" onSubmit=${retag}>
          <label>Tags <small>separated by commas</small> <input name="tags" defaultValue=${tags.join(', ')} /></label>
          <button class="primary">Change</button>
        </form>
      </details>
      <details>
        <summary>Read the feed</summary>
        <p>Whoever knows this URL can read what the monitor has found: <a class="target" href=${feedUrl}>${feedUrl}</a></p>
        <button type="button" onClick=${rotateFeed}>Replace the URL</button>
      </details>
      <details>
        <summary>Change the schedule</summary>
        <form class="filters" onSubmit=${reschedule}>
          <${ScheduleFields} schedule=${schedule.cron} timezone=${schedule.timezone} />
          <button class="primary">Change</button>
        </form>
      </details>
    </section>`;
}

function Checks({ monitorId, checks }: { monitorId: string; checks: Check[] }) {
  if (!checks.length) return html`<div class="empty"><p>There is no check yet.</p></div>`;
  return html`
    <h2>Checks</h2>
    <div class="wide" tabindex="0" role="region" aria-label="Checks">
      <table class="jobs">
        <thead><tr>
          <th scope="col">Found</th><th scope="col">State</th><th scope="col">Started by</th>
          <th scope="col" class="number">Credits</th><th scope="col" class="number">Took</th><th scope="col" class="number">Began</th>
        </tr></thead>
        <tbody>${checks.map((check) => {
          const { id, status, trigger, actualCredits, startedAt, finishedAt, createdAt } = check;
          const took =
            startedAt && finishedAt ? duration(Date.parse(finishedAt) - Date.parse(startedAt)) : '';
          return html`
            <tr key=${id}>
              <td><span class=${`state ${outcomeOf(check)}`}><a href=${`${BASE}/monitors/${monitorId}/checks/${id}`}>${describeCheck(check)}</a></span></td>
              <td>${CHECK_TITLES[status]}</td>
              <td>${trigger === 'manual' ? 'a request' : 'the schedule'}</td>
              <td class="number">${actualCredits?.toLocaleString()}</td>
              <td class="number">${took}</td>
              <td class="number"><time datetime=${createdAt} title=${new Date(createdAt).toLocaleString()}>${ago(createdAt)}</time></td>
            </tr>`;
        })}</tbody>
      </table>
    </div>`;
}
