import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { ApiError, adminKey, send } from '../api.ts';
import { CopyButton } from '../elements/copy-button.ts';
import { KeyTable, type TeamKey } from '../elements/key-table.ts';
import { usePolling } from '../polling.ts';
import { BASE } from '../router.ts';
import { OperatorSignIn } from '../sign-in.ts';
import { useAction } from '../use-action.ts';

/** A team, as the operator's routes describe it. */
export interface Team {
  name: string;
  /** Null is no limit. */
  creditsRemaining: number | null;
  rateLimitPerMinute: number;
  concurrency: number;
  sessions: number;
  /** Null is no limit. */
  openJobs: number | null;
  /** Null is the limit of the service. */
  monitors: number | null;
  /** Null is no limit. */
  storedMegabytes: number | null;
  /** Null is no limit. */
  modelTokensPerDay: number | null;
  zeroDataRetention: boolean;
  createdAt: string;
}

const POLL_MS = 15_000;

/** A limit for people. */
export const formatLimit = (limit: number | null) => limit?.toLocaleString() ?? 'unlimited';

/** The fields of the form, by the names of the limits. Those that may be empty then have no limit. */
const FIELDS = {
  credits: { title: 'Credits left', mayBeEmpty: true, amountOf: (team: Team) => team.creditsRemaining },
  rateLimitPerMinute: {
    title: 'Requests a minute',
    mayBeEmpty: false,
    amountOf: (team: Team) => team.rateLimitPerMinute,
  },
  concurrency: { title: 'Pages at a time', mayBeEmpty: false, amountOf: (team: Team) => team.concurrency },
  sessions: {
    title: 'Browser sessions at a time',
    mayBeEmpty: false,
    amountOf: (team: Team) => team.sessions,
  },
  openJobs: {
    title: 'Open batches, crawls, agents and extracts',
    mayBeEmpty: true,
    amountOf: (team: Team) => team.openJobs,
  },
  monitors: { title: 'Monitors', mayBeEmpty: true, amountOf: (team: Team) => team.monitors },
  storedMegabytes: {
    title: 'MiB of results',
    mayBeEmpty: true,
    amountOf: (team: Team) => team.storedMegabytes,
  },
  modelTokensPerDay: {
    title: 'Tokens of models a day',
    mayBeEmpty: true,
    amountOf: (team: Team) => team.modelTokensPerDay,
  },
};

/** The limits and keys of a team, which the operator changes. */
export function TeamView({ parameters: [encodedName = ''] }: { parameters: (string | undefined)[] }) {
  const path = `/admin/teams/${encodedName}`;
  const { fault, count, run } = useAction();
  const { value, error } = usePolling(
    async (signal) => {
      const read = async <Body>(of: string) => (await send<{ data: Body }>({ path: of, signal })).body.data;
      const [team, keys] = await Promise.all([read<Team>(path), read<TeamKey[]>(`${path}/keys`)]);
      return { team, keys };
    },
    () => POLL_MS,
    adminKey.value + path,
    count,
  );
  if (!adminKey.value || error?.status === 401)
    return html`<${OperatorSignIn} refusal=${adminKey.value && error ? error.message : ''} />`;
  return html`
    <p class="trail"><a href=${`${BASE}/operator`}>Operator</a></p>
    <h1>${value?.team.name ?? 'Team'}</h1>
    ${(error?.message ?? fault) && html`<p class="error" role="alert">${error?.message ?? fault}</p>`}
    ${!value && !error && html`<p class="waiting" role="status"><span class="spinner" />Reading the team…</p>`}
    ${
      value &&
      html`
        <${Limits} key=${count} team=${value.team} onChange=${(body: object) => run({ method: 'PATCH', path, body })} />
        <${Keys} keys=${value.keys} path=${path} onRevoke=${(name: string) => run({ method: 'DELETE', path: `${path}/keys/${encodeURIComponent(name)}` })} />`
    }`;
}

function Limits({ team, onChange }: { team: Team; onChange: (body: object) => Promise<void> }) {
  const submit = (event: Event) => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const entries = Object.entries(FIELDS).map(([name, { amountOf }]) => {
      const text = String(form.get(name) ?? '');
      return { name, before: amountOf(team), after: text === '' ? null : Number(text) };
    });
    const zeroDataRetention = form.has('zeroDataRetention');
    // Only what the operator has changed is sent: credits are spent while the form is open.
    const changed = entries
      .filter(({ before, after }) => before !== after)
      .map(({ name, after }) => [name, after]);
    void onChange({
      ...Object.fromEntries(changed),
      ...(zeroDataRetention !== team.zeroDataRetention && { zeroDataRetention }),
    });
  };
  return html`
    <section class="card" aria-label="Limits">
      <h2>Limits</h2>
      <form onSubmit=${submit}>
        <div class="limits">
          ${Object.entries(FIELDS).map(
            ([name, { title, mayBeEmpty, amountOf }]) => html`
              <label>${title}
                <input type="number" min=${name === 'concurrency' ? 1 : 0} name=${name} required=${!mayBeEmpty}
                  placeholder=${mayBeEmpty ? 'unlimited' : ''} defaultValue=${amountOf(team) ?? ''} />
              </label>`,
          )}
        </div>
        <p><label class="check"><input type="checkbox" name="zeroDataRetention" defaultChecked=${team.zeroDataRetention} /> Its jobs may ask for zero data retention</label></p>
        <button class="primary">Change the limits</button>
      </form>
    </section>`;
}

function Keys({
  keys,
  path,
  onRevoke,
}: {
  keys: TeamKey[];
  path: string;
  onRevoke: (name: string) => Promise<void>;
}) {
  const name = useSignal('');
  const made = useSignal<{ name: string; key: string } | undefined>(undefined);
  const fault = useSignal('');
  const create = async (event: Event) => {
    event.preventDefault();
    fault.value = '';
    try {
      const request = { method: 'POST', path: `${path}/keys`, body: { name: name.value.trim() } } as const;
      made.value = (await send<{ data: { name: string; key: string } }>(request)).body.data;
      name.value = '';
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      fault.value = error.message;
    }
  };
  return html`
    <section class="card" aria-label="Keys">
      <h2>Keys</h2>
      <form class="filters" onSubmit=${create}>
        <label>New key
          <input required maxlength="100" placeholder="what it is for" value=${name.value} onInput=${(
            event: InputEvent,
          ) => {
            name.value = (event.target as HTMLInputElement).value;
          }} />
        </label>
        <button class="primary">Create</button>
      </form>
      ${fault.value && html`<p class="error" role="alert">${fault.value}</p>`}
      ${
        made.value &&
        html`<p class="notice" role="status">The key ${made.value.name} is <code>${made.value.key}</code>
          <${CopyButton} text=${made.value.key} /> It cannot be shown again.</p>`
      }
      <${KeyTable} keys=${keys} onRevoke=${onRevoke} />
    </section>`;
}
