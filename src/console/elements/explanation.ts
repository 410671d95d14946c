import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { ApiError, send } from '../api.ts';
import { Icon } from '../icons.ts';

/** What support says of a job. */
interface Answer {
  answer: string;
  confidence: 'high' | 'medium' | 'low';
  fixParameters: Record<string, unknown> | null;
  validation: { tested: boolean; result: string; evidence: string } | null;
}

/** A button that has support explain a job. It tries changes of the request itself, which costs nothing. */
export function Explanation({
  jobId,
  question,
  label = 'Explain this job',
}: {
  jobId: string;
  question: string;
  label?: string;
}) {
  const answer = useSignal<Answer | undefined>(undefined);
  const state = useSignal<'' | 'asking' | string>('');
  const ask = async () => {
    state.value = 'asking';
    try {
      const { body } = await send<Answer>({
        method: 'POST',
        path: '/v2/support/ask',
        body: { question, jobId },
      });
      answer.value = body;
      state.value = '';
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      state.value = error.message;
    }
  };
  if (state.value === 'asking')
    return html`<p class="waiting" role="status"><span class="spinner" />Looking at the job, and trying other parameters…</p>`;
  if (!answer.value) {
    return html`
      ${state.value && html`<p class="error" role="alert">${state.value}</p>`}
      <button type="button" onClick=${ask}><${Icon} name="help" />${label}</button>`;
  }
  const { answer: text, confidence, fixParameters, validation } = answer.value;
  return html`
    <section class="explanation" aria-label="Explanation" role="status">
      <p>${text}</p>
      <p class="facts"><span>confidence: ${confidence}</span></p>
      ${
        fixParameters &&
        html`<p>Merge this into the request:</p>
          <pre class="code" tabindex="0">${JSON.stringify(fixParameters, null, 2)}</pre>`
      }
      ${validation && html`<p class="about">${validation.tested ? `Tried (${validation.result}): ` : ''}${validation.evidence}</p>`}
    </section>`;
}
