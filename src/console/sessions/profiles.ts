import { html } from 'htm/preact';
import { send } from '../api.ts';
import { ago, bytes } from '../elements/format.ts';
import { usePolling } from '../polling.ts';
import { useAction } from '../use-action.ts';

interface Profile {
  name: string;
  bytes: number;
  createdAt: string;
  savedAt: string | null;
  lastUsedAt: string;
}

const POLL_MS = 15_000;

/** The browser profiles of the team: sizes, last use, and a browser that begins with one. */
export function Profiles({ onOpen }: { onOpen: (name: string) => void }) {
  const { fault, count: deleted, run } = useAction();
  const { value, error } = usePolling(
    async (signal) => (await send<{ data: Profile[] }>({ path: '/v2/browser/profiles', signal })).body.data,
    () => POLL_MS,
    'profiles',
    deleted,
  );
  const problem = fault || error?.message;
  const remove = (name: string) =>
    confirm(`Delete the profile ${name} with its cookies and logins?`) &&
    run({ method: 'DELETE', path: `/v2/browser/profiles/${encodeURIComponent(name)}` });
  return html`
    <section class="card" aria-label="Profiles">
      <h2>Profiles</h2>
      <p class="about">A profile keeps cookies and logins between sessions and scrapes that name it.</p>
      ${problem && html`<p class="error" role="alert">${problem}</p>`}
      ${value && !value.length && html`<p>There is none. A session or scrape with a <code>profile</code> makes one.</p>`}
      ${
        value &&
        value.length > 0 &&
        html`<div class="wide" tabindex="0" role="region" aria-label="List of profiles">
          <table>
            <thead><tr><th scope="col">Name</th><th scope="col" class="number">Size</th><th scope="col">Saved</th><th scope="col">Last use</th>
              <th scope="col"><span class="hidden">Actions</span></th></tr></thead>
            <tbody>${value.map(
              ({ name, bytes: size, savedAt, lastUsedAt }) => html`
                <tr key=${name}>
                  <td dir="auto">${name}</td><td class="number">${bytes(size)}</td>
                  <td>${savedAt ? ago(savedAt) : 'never'}</td><td>${ago(lastUsedAt)}</td>
                  <td><div class="bar">
                    <button type="button" aria-label=${`Open a browser with ${name}`} onClick=${() => onOpen(name)}>Open</button>
                    <button type="button" class="quiet" aria-label=${`Delete ${name}`} onClick=${() => remove(name)}>Delete</button>
                  </div></td>
                </tr>`,
            )}</tbody>
          </table></div>`
      }
    </section>`;
}
