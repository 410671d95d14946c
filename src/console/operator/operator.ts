import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { adminKey, send } from '../api.ts';
import { Figure } from '../elements/figure.ts';
import { ago, bytes, count, duration } from '../elements/format.ts';
import { usePolling } from '../polling.ts';
import { BASE } from '../router.ts';
import { OperatorSignIn } from '../sign-in.ts';
import { useAction } from '../use-action.ts';
import { formatLimit, type Team } from './team.ts';

interface Health {
  isReady: boolean;
  parts: Record<string, string>;
  workers: {
    id: string;
    roles: string[];
    hostsSessions: boolean;
    sessions: number;
    hasRoom: boolean;
    tasks: number;
    cores: number;
    memoryBytes: number;
    seenAt: string;
  }[];
  queues: { role: string; waiting: number; oldestMs: number }[];
  openJobs: { kind: string; count: number; oldest: string }[];
  disks: { path: string; freeBytes: number; totalBytes: number }[];
  databaseBytes: number;
  deliveries: { pending: number; failed: number };
  features: { model: string | null; search: string };
  versions: Record<string, string>;
  uptimeSeconds: number;
}

const POLL_MS = 5000;

/** The state of the service, and its teams. */
export function Operator() {
  const { fault, count: made, run } = useAction();
  const { value, error } = usePolling(
    async (signal) => {
      const read = async <Body>(path: string) => (await send<{ data: Body }>({ path, signal })).body.data;
      const [health, teams] = await Promise.all([
        read<Health>('/admin/health'),
        read<Team[]>('/admin/teams'),
      ]);
      return { health, teams };
    },
    () => POLL_MS,
    adminKey.value,
    made,
  );
  if (!adminKey.value || error?.status === 401)
    return html`<${OperatorSignIn} refusal=${adminKey.value && error ? error.message : ''} />`;
  return html`
    <h1>Operator</h1>
    ${error && html`<p class="error" role="alert"><b>${error.code}</b> ${error.message}</p>`}
    ${!value && !error && html`<p class="waiting" role="status"><span class="spinner" />Reading the state of the service…</p>`}
    ${
      value &&
      html`
        <${Figures} health=${value.health} />
        <${Parts} health=${value.health} />
        <${Teams} teams=${value.teams} fault=${fault} onCreate=${(body: object) => run({ method: 'POST', path: '/admin/teams', body })} />`
    }`;
}

function Figures({ health }: { health: Health }) {
  const { isReady, workers, openJobs, disks, databaseBytes, deliveries, uptimeSeconds } = health;
  const open = openJobs.reduce((sum, jobs) => sum + jobs.count, 0);
  const oldest = openJobs.map((jobs) => jobs.oldest).toSorted()[0];
  const sessions = workers.reduce((sum, worker) => sum + worker.sessions, 0);
  const started = new Date(Date.now() - uptimeSeconds * 1000).toISOString();
  return html`
    <dl class="figures">
      <${Figure} title="State" text=${isReady ? 'ready' : 'not ready'} note=${`started ${ago(started)}`} />
      <${Figure} title="Open jobs" text=${open.toLocaleString()} note=${oldest && `the oldest began ${ago(oldest)}`} />
      <${Figure} title="Workers" text=${workers.length.toLocaleString()} note=${count(sessions, 'browser session')} />
      <${Figure} title="Database" text=${bytes(databaseBytes)} />
      ${disks.map(
        ({ path, freeBytes, totalBytes }) =>
          html`<${Figure} title="Free on the disk" text=${bytes(freeBytes)} note=${`of ${bytes(totalBytes)}, which has ${path}`} />`,
      )}
      <${Figure} title="Events to send" text=${deliveries.pending.toLocaleString()} note=${`${deliveries.failed.toLocaleString()} failed within a day`} />
    </dl>`;
}

function Parts({ health: { parts, workers, queues, openJobs, features, versions } }: { health: Health }) {
  return html`
    <section class="card" aria-label="Health">
      <h2>Health</h2>
      <dl class="parts">
        ${Object.entries(parts).map(
          ([name, state]) =>
            html`<div><dt>${name}</dt><dd class=${state === 'ok' ? '' : 'bad'}>${state}</dd></div>`,
        )}
        <div><dt>language model</dt><dd>${features.model ?? 'none: rules take its place'}</dd></div>
        <div><dt>search</dt><dd>${features.search}</dd></div>
      </dl>
      <h3>Versions</h3>
      <dl class="parts">
        ${Object.entries(versions).map(([name, version]) => html`<div><dt>${name}</dt><dd>${version}</dd></div>`)}
      </dl>
      <div class="wide" tabindex="0" role="region" aria-label="Workers">
        <table>
          <thead><tr><th scope="col">Worker</th><th scope="col">Takes</th><th scope="col" class="number">Tasks</th><th scope="col" class="number">Processor</th><th scope="col" class="number">Memory</th><th scope="col">Sessions</th><th scope="col">Reported</th></tr></thead>
          <tbody>${workers.map(
            ({ id, roles, hostsSessions, sessions, hasRoom, tasks, cores, memoryBytes, seenAt }) => html`
              <tr><td><code>${id}</code></td><td>${roles.join(', ')}</td>
                <td class="number">${tasks.toLocaleString()}</td><td class="number">${Math.round(100 * cores)} %</td><td class="number">${bytes(memoryBytes)}</td>
                <td>${hostsSessions ? `${sessions}${hasRoom ? '' : ', no memory for more'}` : 'none'}</td><td>${ago(seenAt)}</td></tr>`,
          )}</tbody>
        </table>
      </div>
      <div class="wide" tabindex="0" role="region" aria-label="Queues">
        <table>
          <thead><tr><th scope="col">Queue</th><th scope="col" class="number">Waiting tasks</th><th scope="col">The oldest waits</th></tr></thead>
          <tbody>${queues.map(
            ({ role, waiting, oldestMs }) =>
              html`<tr><td>${role}</td><td class="number">${waiting.toLocaleString()}</td><td>${waiting > 0 ? duration(oldestMs) : 'nothing waits'}</td></tr>`,
          )}</tbody>
        </table>
      </div>
      ${
        openJobs.length > 0 &&
        html`<div class="wide" tabindex="0" role="region" aria-label="Open jobs">
          <table>
            <thead><tr><th scope="col">Open jobs</th><th scope="col" class="number">Number</th><th scope="col">Oldest</th></tr></thead>
            <tbody>${openJobs.map(
              (jobs) =>
                html`<tr><td>${jobs.kind.replaceAll('_', ' ')}</td><td class="number">${jobs.count.toLocaleString()}</td><td>${ago(jobs.oldest)}</td></tr>`,
            )}</tbody>
          </table></div>`
      }
    </section>`;
}

function Teams({
  teams,
  fault,
  onCreate,
}: {
  teams: Team[];
  fault: string;
  onCreate: (body: object) => Promise<void>;
}) {
  const name = useSignal('');
  const create = async (event: Event) => {
    event.preventDefault();
    await onCreate({ name: name.value.trim() });
    name.value = '';
  };
  return html`
    <section class="card" aria-label="Teams">
      <h2>Teams</h2>
      <form class="filters" onSubmit=${create}>
        <label>New team
          <input required maxlength="100" value=${name.value} onInput=${(event: InputEvent) => {
            name.value = (event.target as HTMLInputElement).value;
          }} />
        </label>
        <button class="primary">Create</button>
      </form>
      ${fault && html`<p class="error" role="alert">${fault}</p>`}
      <div class="wide" tabindex="0" role="region" aria-label="Teams and their limits">
        <table>
          <thead><tr>
            <th scope="col">Team</th><th scope="col" class="number">Credits left</th><th scope="col" class="number">Requests a minute</th>
            <th scope="col" class="number">Pages at a time</th><th scope="col" class="number">Sessions at a time</th>
            <th scope="col" class="number">Model tokens a day</th><th scope="col">Zero data retention</th><th scope="col">Made</th>
          </tr></thead>
          <tbody>${teams.map(
            (team) => html`
              <tr>
                <td><a href=${`${BASE}/operator/teams/${encodeURIComponent(team.name)}`}>${team.name}</a></td>
                <td class="number">${formatLimit(team.creditsRemaining)}</td><td class="number">${team.rateLimitPerMinute.toLocaleString()}</td>
                <td class="number">${team.concurrency.toLocaleString()}</td><td class="number">${team.sessions.toLocaleString()}</td>
                <td class="number">${formatLimit(team.modelTokensPerDay)}</td><td>${team.zeroDataRetention ? 'allowed' : 'no'}</td><td>${ago(team.createdAt)}</td>
              </tr>`,
          )}</tbody>
        </table>
      </div>
    </section>`;
}
