import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { setApiKey } from './api.ts';

/** Asks for the API key. @param refusal what the service said about the last one */
export function SignIn({ refusal }: { refusal: string }) {
  const key = useSignal('');
  const submit = (event: Event) => {
    event.preventDefault();
    setApiKey(key.value.trim());
  };
  return html`
    <form class="sign-in card" onSubmit=${submit}>
      <h1>Open the console</h1>
      <p>
        Give an API key of your team. The first one is in the file <code>api-key</code> of the data directory;${' '}
        <code>winnow key create</code> makes more.
      </p>
      <label>
        API key
        <input
          type="password" name="key" autocomplete="off" required autofocus placeholder="fc-…"
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
