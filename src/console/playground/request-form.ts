import { html } from 'htm/preact';
import { Icon } from '../icons.ts';
import { Field, withValue } from './fields.ts';
import { FileField } from './file-field.ts';
import { groupFields } from './groups.ts';
import { files, outcomes, run, stopWaiting } from './outcomes.ts';
import type { PlaygroundRequest } from './request.ts';
import type { Schema } from './request-schema.ts';

/** The form of an operation, whose fields are those of the API reference. */
export function RequestForm({
  request,
  schema,
  onChange,
}: {
  request: PlaygroundRequest;
  schema: Schema;
  onChange: (body: Record<string, unknown>) => void;
}) {
  const { operation, body, file } = request;
  const { properties = {} } = schema;
  const fieldOf = ([name, field]: [string, Schema]) => html`
    <${Field}
      key=${name} name=${name} schema=${field} value=${body[name]} isRequired=${schema.required?.includes(name)}
      onChange=${(value: unknown) => onChange(withValue(body, name, value))}
    />`;
  return html`
    <form
      onSubmit=${(event: Event) => {
        event.preventDefault();
        void run(request);
        showResult();
      }}
      onKeyDown=${(event: KeyboardEvent) => {
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
          (event.currentTarget as HTMLFormElement).requestSubmit();
        }
      }}
    >
      ${
        operation.takesFile &&
        html`<${FileField} file=${file} onChange=${(chosen: File | undefined) => {
          files.value = { ...files.value, [operation.id]: chosen };
        }} />`
      }
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
          outcomes.value[operation.id]?.state === 'waiting'
            ? html`<button type="button" onClick=${() => stopWaiting(operation.id)}><${Icon} name="close" />Stop waiting</button>`
            : html`<button class="primary" title="Ctrl+Enter"><${Icon} name="play" />${operation.title}</button>`
        }
      </div>
    </form>`;
}

/** On a phone, the result is below the form, where a request would seem to do nothing. */
function showResult(): void {
  const result = document.querySelector('.playground .result');
  if (result && result.getBoundingClientRect().top > innerHeight / 2) result.scrollIntoView();
}
