import { html } from 'htm/preact';
import { CopyButton } from '../elements/copy-button.ts';
import { Tabs } from '../elements/tabs.ts';
import { outcomes } from './outcomes.ts';
import type { PlaygroundRequest } from './request.ts';
import { Result } from './result.ts';
import { writeSnippets } from './snippets/index.ts';

/** What became of the last request of an operation, and the request as a program would send it. */
export function OutcomeView({ request }: { request: PlaygroundRequest }) {
  const outcome = outcomes.value[request.operation.id];
  const code = { name: 'Request', content: () => html`<${Snippets} request=${request} />` };
  if (!outcome) {
    return html`
      <div class="empty"><p>The result is shown here. Until then, this is the request as a program would send it.</p></div>
      <${Snippets} request=${request} />`;
  }
  if (outcome.state === 'waiting')
    return html`<p class="waiting" role="status"><span class="spinner" />Waiting for the response…</p>`;
  if (outcome.state === 'failed') {
    const { error } = outcome;
    return html`
      <div class="error" role="alert"><b>${error.code}</b><p>${error.message}</p></div>
      <${Tabs} key="failed" label="Parts of the error" tabs=${[
        {
          name: 'Response',
          content: () => html`<pre class="code" tabindex="0">${JSON.stringify(error.body, null, 2)}</pre>`,
        },
        code,
      ]} />`;
  }
  const { sent, response } = outcome;
  return html`<${Result} operation=${request.operation} sent=${sent} response=${response} request=${code} />`;
}

/** The name of a file that was not chosen yet. */
const EXAMPLE_FILE = 'document.pdf';

function Snippets({ request: { operation, body, file } }: { request: PlaygroundRequest }) {
  const fileName = operation.takesFile && (file?.name ?? EXAMPLE_FILE);
  const { origin } = location;
  const tabs = writeSnippets({ origin, operation, body, ...(fileName && { fileName }) }).map(
    ({ language, text }) => ({
      name: language,
      content: () =>
        html`<div class="snippet"><${CopyButton} text=${text} /><pre class="code" tabindex="0">${text}</pre></div>`,
    }),
  );
  return html`<${Tabs} key="snippets" label="Languages" tabs=${tabs} />`;
}
