import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { setAdminKey, setApiKey } from './api.ts';
import { BASE } from './router.ts';

/** Asks for the API key. @param refusal what the service said about the last one */
export const SignIn = ({ refusal }: { refusal: string }) => html`
  <${KeyForm} title="Open the console" label="API key" placeholder="fc-…" refusal=${refusal} onKey=${setApiKey}>
    <p>
      Give an API key of your team. The first one is in the file <code>api-key</code> of the data directory;${' '}
      <code>winnow key create</code> makes more. Operators manage teams <a href=${`${BASE}/operator`}>with a key of their own</a>.
    </p>
  </${KeyForm}>`;

/** Asks for the key of the operator. @param refusal what the service said about the last one */
export const OperatorSignIn = ({ refusal }: { refusal: string }) => html`
  <${KeyForm} title="Operate the service" label="Key of the operator" placeholder="admin-…" refusal=${refusal} onKey=${setAdminKey}>
    <p>
      Teams, keys, limits and the health of the service are for its operator, whose key is in the file${' '}
      <code>admin-key</code> of the data directory, unless <code>WINNOW_ADMIN_KEY</code> sets it.
    </p>
  </${KeyForm}>`;

interface KeyFormProps {
  title: string;
  label: string;
  placeholder: string;
  refusal: string;
  onKey: (key: string) => void;
  children: unknown;
}

function KeyForm({ title, label, placeholder, refusal, onKey, children }: KeyFormProps) {
  const key = useSignal('');
  const submit = (event: Event) => {
    event.preventDefault();
    onKey(key.value.trim());
  };
  return html`
    <form class="sign-in card" onSubmit=${submit}>
      <h1>${title}</h1>
      ${children}
      <label>
        ${label}
        <input
          type="password" name="key" autocomplete="off" required autofocus placeholder=${placeholder}
          aria-describedby="key-note" value=${key.value}
          onInput=${(event: InputEvent) => {
            key.value = (event.target as HTMLInputElement).value;
          }}
        />
      </label>
      ${refusal && html`<p class="error" role="alert">${refusal}</p>`}
      <button class="primary">Continue</button>
      <p class="hint" id="key-note">The key stays in this tab until it is closed. It is sent to this service only.</p>
    </form>
  `;
}
