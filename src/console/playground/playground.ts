import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { useEffect } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { ago } from '../elements/format.ts';
import { Icon } from '../icons.ts';
import { BASE, goTo } from '../router.ts';
import { type Tried, tried } from './history.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import { OutcomeView } from './outcome-view.ts';
import { bodies, files, run } from './outcomes.ts';
import { RequestForm } from './request-form.ts';
import { readRequestSchema, type Schema } from './request-schema.ts';

/** How long after a failure the form is read again, in milliseconds. */
const RETRY_MS = 2000;

const operationOf = (id: string) => OPERATIONS.find((each) => each.id === id);

/** Tries the API: a form of its options, the request as code, and its result. */
export function Playground({ parameters: [id = 'scrape'] }: { parameters: (string | undefined)[] }) {
  const operation = operationOf(id) ?? (OPERATIONS[0] as Operation);
  const schema = useSignal<Schema | undefined>(undefined);
  const fault = useSignal('');
  /** Changes when a form is filled in from elsewhere, so that its fields are made anew. */
  const filled = useSignal(0);
  useEffect(() => {
    schema.value = undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOpen = true;
    const read = async () => {
      try {
        const found = await readRequestSchema(operation);
        if (!isOpen) return;
        schema.value = found;
        fault.value = '';
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (!isOpen) return;
        fault.value = error.message;
        timer = setTimeout(read, RETRY_MS);
      }
    };
    void read();
    return () => {
      isOpen = false;
      clearTimeout(timer);
    };
  }, [operation]);

  const change = (body: Record<string, unknown>) => {
    bodies.value = { ...bodies.value, [operation.id]: body };
  };
  const fill = (from: Tried) => {
    bodies.value = { ...bodies.value, [from.operation]: from.body };
    filled.value++;
    goTo(`/try/${from.operation}`);
  };
  const body = bodies.value[operation.id] ?? operation.example;
  const request = { operation, body, file: files.value[operation.id] };
  return html`
    <h1 class="hidden">Playground</h1>
    <nav class="operations" aria-label="Operations">
      ${OPERATIONS.map(
        (each) =>
          html`<a href=${`${BASE}/try/${each.id}`} aria-current=${each === operation ? 'page' : undefined}>${each.title}</a>`,
      )}
    </nav>
    <div class="playground">
      <section class="card" aria-label="Request">
        <p class="about">${operation.about} <code>POST ${operation.path}</code></p>
        ${fault.value && html`<p class="error" role="alert">${fault.value}</p>`}
        ${
          schema.value &&
          html`<${RequestForm} key=${`${operation.id}-${filled.value}`} request=${request} schema=${schema.value} onChange=${change} />`
        }
        <${History} onChoose=${fill} />
      </section>
      <section class="card result" aria-label="Result">
        <${OutcomeView} request=${request} />
      </section>
    </div>`;
}

/** The requests that were tried: filled in by a click on one, and sent again by the button beside it. */
function History({ onChoose }: { onChoose: (from: Tried) => void }) {
  if (!tried.value.length) return null;
  const repeat = (each: Tried) => {
    const operation = operationOf(each.operation);
    onChoose(each);
    if (operation) void run({ operation, body: each.body });
  };
  return html`
    <details class="group history">
      <summary>Tried before <small>${tried.value.length}</small></summary>
      <ul>
        ${tried.value.map(
          (each) => html`
            <li key=${each.at}>
              <button type="button" class="quiet" onClick=${() => onChoose(each)}>
                <b>${each.operation}</b> <span>${labelOf(each)}</span> <small>${ago(new Date(each.at).toISOString())}</small>
              </button>
              <button type="button" class="quiet" aria-label=${`Run again: ${each.operation} ${labelOf(each)}`} onClick=${() => repeat(each)}><${Icon} name="play" /></button>
            </li>`,
        )}
      </ul>
    </details>`;
}

const labelOf = ({ body: { url, urls, query, prompt } }: Tried): string =>
  String(url ?? query ?? prompt ?? (Array.isArray(urls) ? urls.join(', ') : '')).slice(0, 100);
