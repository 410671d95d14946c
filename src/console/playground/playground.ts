import { signal, useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, type ApiResponse, send } from '../api.ts';
import { CopyButton } from '../elements/copy-button.ts';
import { ago } from '../elements/format.ts';
import { Tabs } from '../elements/tabs.ts';
import { Icon } from '../icons.ts';
import { BASE, goTo } from '../router.ts';
import { Field, withValue } from './fields.ts';
import { groupFields } from './groups.ts';
import { remember, type Tried, tried } from './history.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import { readRequestSchema, type Schema } from './request-schema.ts';
import { Result } from './result.ts';
import { writeSnippets } from './snippets.ts';

/** What was filled in, by operation. It stays while the console is open. */
const bodies = signal<Record<string, Record<string, unknown>>>({});

/** What became of the last request of an operation. */
type Outcome =
  | { state: 'waiting' }
  | { state: 'done'; response: ApiResponse<Record<string, unknown>> }
  | { state: 'failed'; error: ApiError };
const outcomes = signal<Record<string, Outcome | undefined>>({});

/** Tries the API: a form of its options, the request as code, and its result. */
export function Playground({ parameters: [id = 'scrape'] }: { parameters: (string | undefined)[] }) {
  const operation = OPERATIONS.find((each) => each.id === id) ?? (OPERATIONS[0] as Operation);
  const schema = useSignal<Schema | undefined>(undefined);
  const fault = useSignal('');
  /** Changes when a form is filled in from elsewhere, so that its fields are made anew. */
  const filled = useSignal(0);
  useEffect(() => {
    schema.value = undefined;
    let isOpen = true;
    readRequestSchema(operation.path).then(
      (read) => {
        if (isOpen) schema.value = read;
      },
      (error: ApiError) => {
        fault.value = error.message;
      },
    );
    return () => {
      isOpen = false;
    };
  }, [operation]);

  const body = bodies.value[operation.id] ?? operation.example;
  const change = (next: Record<string, unknown>) => {
    bodies.value = { ...bodies.value, [operation.id]: next };
  };
  const fill = (from: Tried) => {
    bodies.value = { ...bodies.value, [from.operation]: from.body };
    filled.value++;
    goTo(`/try/${from.operation}`);
  };
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
          html`<${RequestForm} key=${`${operation.id}-${filled.value}`} operation=${operation} schema=${schema.value} body=${body} onChange=${change} />`
        }
        <${History} onChoose=${fill} />
      </section>
      <section class="card result" aria-label="Result">
        <${OutcomeView} operation=${operation} body=${body} />
      </section>
    </div>`;
}

function RequestForm({
  operation,
  schema,
  body,
  onChange,
}: {
  operation: Operation;
  schema: Schema;
  body: Record<string, unknown>;
  onChange: (body: Record<string, unknown>) => void;
}) {
  const aborter = useRef<AbortController | undefined>(undefined);
  const outcome = outcomes.value[operation.id];
  const show = (next: Outcome | undefined) => {
    outcomes.value = { ...outcomes.value, [operation.id]: next };
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    aborter.current?.abort();
    aborter.current = new AbortController();
    const { signal } = aborter.current;
    remember(operation.id, body);
    show({ state: 'waiting' });
    try {
      show({ state: 'done', response: await send({ method: 'POST', path: operation.path, body, signal }) });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      show({ state: 'failed', error });
    }
  };
  const cancel = () => {
    aborter.current?.abort();
    show(undefined);
  };
  const fieldOf = ([name, field]: [string, Schema]) => html`
    <${Field}
      key=${name} name=${name} schema=${field} value=${body[name]} isRequired=${schema.required?.includes(name)}
      onChange=${(value: unknown) => onChange(withValue(body, name, value))}
    />`;
  const { properties = {} } = schema;
  return html`
    <form onSubmit=${submit} onKeyDown=${(event: KeyboardEvent) => {
      if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
        (event.currentTarget as HTMLFormElement).requestSubmit();
      }
    }}>
      ${operation.main.flatMap((name) => (properties[name] ? [fieldOf([name, properties[name]])] : []))}
      ${groupFields(schema, operation.main).map(({ title, fields }) => {
        const set = fields.filter(([name]) => body[name] !== undefined).length;
        return html`
          <details class="group" key=${title}>
            <summary>${title}${set > 0 && html` <small>${set} set</small>`}</summary>
            ${fields.map(fieldOf)}
          </details>`;
      })}
      <div class="actions">
        ${
          outcome?.state === 'waiting'
            ? html`<button type="button" onClick=${cancel}><${Icon} name="close" />Stop waiting</button>`
            : html`<button class="primary" title="Ctrl+Enter"><${Icon} name="play" />${operation.title}</button>`
        }
      </div>
    </form>`;
}

function OutcomeView({ operation, body }: { operation: Operation; body: Record<string, unknown> }) {
  const outcome = outcomes.value[operation.id];
  const request = {
    name: 'Request',
    content: () => html`<${Snippets} operation=${operation} body=${body} />`,
  };
  if (!outcome) {
    return html`
      <div class="empty"><p>The result is shown here. Until then, this is the request as a program would send it.</p></div>
      <${Snippets} operation=${operation} body=${body} />`;
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
        request,
      ]} />`;
  }
  return html`<${Result} operation=${operation} response=${outcome.response} request=${request} />`;
}

function Snippets({ operation, body }: { operation: Operation; body: Record<string, unknown> }) {
  const tabs = writeSnippets(location.origin + operation.path, body).map(({ language, text }) => ({
    name: language,
    content: () =>
      html`<div class="snippet"><${CopyButton} text=${text} /><pre class="code" tabindex="0">${text}</pre></div>`,
  }));
  return html`<${Tabs} key="snippets" label="Languages" tabs=${tabs} />`;
}

function History({ onChoose }: { onChoose: (from: Tried) => void }) {
  if (!tried.value.length) return null;
  return html`
    <details class="group history">
      <summary>Tried before <small>${tried.value.length}</small></summary>
      <ul>
        ${tried.value.map(
          (each) => html`
            <li><button type="button" class="quiet" onClick=${() => onChoose(each)}>
              <b>${each.operation}</b> <span>${labelOf(each)}</span> <small>${ago(new Date(each.at).toISOString())}</small>
            </button></li>`,
        )}
      </ul>
    </details>`;
}

const labelOf = ({ body: { url, urls, query, prompt } }: Tried): string =>
  String(url ?? query ?? prompt ?? (Array.isArray(urls) ? urls.join(', ') : '')).slice(0, 100);
