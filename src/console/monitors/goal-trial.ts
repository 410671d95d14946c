import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { ago, count } from '../elements/format.ts';
import { useAction } from '../use-action.ts';
import { JudgmentView } from './judgment.ts';
import type { Judgment, Monitor } from './monitor-resources.ts';

/** What `POST /v2/monitor/{id}/judge` returns. */
interface Trial {
  goal: string;
  pages: {
    id: string;
    checkedAt: string;
    url: string;
    judgment: Judgment | null;
    error: string | null;
  }[];
  leftOut: number;
  creditsUsed: number;
}

/**
 * The goal of a monitor: how the last changes would be judged by another one, which can then take its place.
 * @param props.save stores a goal
 */
export function GoalTrial({
  monitor: { goal },
  path,
  save,
}: {
  monitor: Monitor;
  path: string;
  save: (goal: string | null) => Promise<unknown>;
}) {
  const { fault, run } = useAction();
  const trial = useSignal<Trial | undefined>(undefined);
  const isBusy = useSignal(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const wanted = String(new FormData(event.target as HTMLFormElement).get('goal') ?? '').trim();
    if (event.submitter?.getAttribute('value') === 'save') return void save(wanted || null);
    isBusy.value = true;
    const tried = await run<{ data: Trial }>({
      method: 'POST',
      path: `${path}/judge`,
      body: { goal: wanted },
    });
    trial.value = tried?.data;
    isBusy.value = false;
  };
  return html`
    <details class="card">
      <summary>${goal === null ? 'Have changes judged by a goal' : 'Try another goal'}</summary>
      <form onSubmit=${submit}>
        <p><label>What changes matter, in words
          <textarea name="goal" rows="2" maxlength="2000" defaultValue=${goal ?? ''} placeholder="The price is lower than before." /></label></p>
        <div class="bar">
          <button value="try" disabled=${isBusy.value}>Try it on the last ten checks</button>
          <button class="primary" value="save">Save as the goal</button>
          <small>A trial costs 1 credit for each change, and changes nothing.</small>
        </div>
        ${fault && html`<p class="error" role="alert">${fault}</p>`}
        <div role="status">
          ${isBusy.value && html`<p class="waiting"><span class="spinner" />Judging the changes…</p>`}
          ${trial.value && html`<${Result} ...${trial.value} />`}
        </div>
      </form>
    </details>`;
}

function Result({ pages, leftOut, creditsUsed }: Trial) {
  const matter = pages.filter(({ judgment }) => judgment?.meaningful).length;
  return html`
    <p>${matter} of ${count(pages.length, 'change')} would be told. ${leftOut > 0 && `${count(leftOut, 'older change')} left out. `}It cost ${count(creditsUsed, 'credit')}.</p>
    <ol class="documents">${pages.map(
      ({ id, url, checkedAt, judgment, error }) => html`
        <li key=${id}>
          <p class="facts"><span dir="auto">${url}</span><time datetime=${checkedAt} title=${new Date(checkedAt).toLocaleString()}>${ago(checkedAt)}</time></p>
          ${judgment ? html`<${JudgmentView} judgment=${judgment} />` : html`<p class="error">${error}</p>`}
        </li>`,
    )}</ol>`;
}
