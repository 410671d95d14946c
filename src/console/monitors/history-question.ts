import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { useAction } from '../use-action.ts';

/** What `POST /v2/monitor/{id}/ask` returns. */
interface Answer {
  answer: string;
  evidence: { checkId: string; checkedAt: string; quote: string }[];
  isPartial: boolean;
}

/** A question about the history of a page. @param props.monitor the path of the monitor in the console */
export function HistoryQuestion({ path, body, monitor }: { path: string; body: object; monitor: string }) {
  const { fault, run } = useAction();
  const answer = useSignal<Answer | undefined>(undefined);
  const isBusy = useSignal(false);
  const ask = async (event: Event) => {
    event.preventDefault();
    const question = String(new FormData(event.target as HTMLFormElement).get('question') ?? '');
    isBusy.value = true;
    const request = { method: 'POST', path: `${path}/ask`, body: { question, ...body } } as const;
    answer.value = (await run<{ data: Answer }>(request))?.data;
    isBusy.value = false;
  };
  return html`
    <h2>Ask</h2>
    <form class="filters" onSubmit=${ask}>
      <label>A question about the history <small>4 credits</small>
        <input name="question" required maxlength="2000" placeholder="When was it cheapest?" /></label>
      <button disabled=${isBusy.value}>Ask</button>
    </form>
    ${fault && html`<p class="error" role="alert">${fault}</p>`}
    <div role="status">
      ${isBusy.value && html`<p class="waiting"><span class="spinner" />Reading the history…</p>`}
      ${
        answer.value &&
        html`
          <p dir="auto">${answer.value.answer}</p>
          <ul>${answer.value.evidence.map(
            ({ checkId, checkedAt, quote }) => html`
              <li key=${checkId}><a href=${`${monitor}/checks/${checkId}`}>${new Date(checkedAt).toLocaleString()}</a>: <q dir="auto">${quote}</q></li>`,
          )}</ul>
          ${answer.value.isPartial && html`<p class="warning">The history was too long: only its newest part was read.</p>`}`
      }
    </div>`;
}
