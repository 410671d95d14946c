import { html } from 'htm/preact';
import { ago } from './format.ts';

/** A key of a team, without the key itself. */
export interface TeamKey {
  name: string;
  hint: string;
  createdAt: string;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

/** The keys of a team. @param onRevoke revokes one; without it, keys are only shown */
export const KeyTable = ({
  keys,
  onRevoke,
}: {
  keys: TeamKey[];
  onRevoke?: ((name: string) => Promise<unknown>) | undefined;
}) => html`
  <div class="wide" tabindex="0" role="region" aria-label="Keys of the team">
    <table>
      <thead><tr><th scope="col">Name</th><th scope="col">Ends in</th><th scope="col">Made</th><th scope="col">Last job</th>
        <th scope="col">State</th>${onRevoke && html`<th scope="col"><span class="hidden">Action</span></th>`}</tr></thead>
      <tbody>${keys.map(
        ({ name, hint, createdAt, lastUsedAt, revokedAt }) => html`
          <tr><td>${name}</td><td><code>${hint}</code></td><td>${ago(createdAt)}</td>
            <td>${lastUsedAt ? ago(lastUsedAt) : 'none'}</td><td>${revokedAt ? `revoked ${ago(revokedAt)}` : 'valid'}</td>
            ${onRevoke && html`<td>${!revokedAt && html`<button type="button" class="quiet" onClick=${() => confirm(`Revoke the key ${name}? Programs that use it are refused at once.`) && onRevoke(name)}>Revoke<span class="hidden"> ${name}</span></button>`}</td>`}</tr>`,
      )}</tbody>
    </table>
  </div>`;
