import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { useId } from 'preact/hooks';
import { Icon } from '../icons.ts';
import { type Schema, takesNames, type Variant, variantsOf } from './request-schema.ts';

/** A field of a form. An undefined value is not sent. */
export interface FieldProps {
  name: string;
  schema: Schema;
  value: unknown;
  isRequired?: boolean;
  onChange: (value: unknown) => void;
}

type Values = Record<string, unknown>;

/** Texts longer than this get several lines. */
const LONG_TEXT = 4000;

/** A field of a form, by what its schema says. */
export function Field(props: FieldProps) {
  const { schema, name } = props;
  const { items } = schema;
  if (items && variantsOf(items).length > 0)
    return takesNames(items) ? html`<${KindsField} ...${props} />` : html`<${StepsField} ...${props} />`;
  if (schema.enum) return html`<${ChoiceField} ...${props} />`;
  if (schema.type === 'boolean') return html`<${SwitchField} ...${props} />`;
  if (schema.type === 'integer' || schema.type === 'number') return html`<${NumberField} ...${props} />`;
  if (schema.type === 'array' && items?.enum) return html`<${ChipsField} ...${props} />`;
  if (schema.type === 'array' && items?.type === 'string') return html`<${LinesField} ...${props} />`;
  if (schema.type === 'object' && Object.keys(schema.properties ?? {}).length > 0)
    return html`<${ObjectField} ...${props} />`;
  if (schema.type === 'string' || Array.isArray(schema.type))
    return html`<${TextField} ...${props} isLong=${(schema.maxLength ?? 0) > LONG_TEXT && !/url$/i.test(name)} />`;
  return html`<${JsonField} ...${props} />`;
}

/** The fields of an object. */
function Fields({
  schema: { properties = {}, required = [] },
  values,
  onChange,
}: {
  schema: Schema;
  values: Values;
  onChange: (values: Values) => void;
}) {
  // An object that is not sent may lack what it requires.
  const isSet = Object.keys(values).length > 0;
  return Object.entries(properties).map(
    ([name, schema]) => html`
      <${Field}
        key=${name} name=${name} schema=${schema} value=${values[name]} isRequired=${isSet && required.includes(name)}
        onChange=${(value: unknown) => onChange(withValue(values, name, value))}
      />`,
  );
}

/** The values with one of them changed. What is undefined is left out. */
export function withValue(values: Values, name: string, value: unknown): Values {
  const { [name]: _, ...rest } = values;
  return value === undefined ? rest : { ...rest, [name]: value };
}

const Help = ({ id, schema }: { id: string; schema: Schema }) =>
  schema.description && html`<small class="help" id=${id}>${schema.description}</small>`;

const textOf = (event: Event) => (event.currentTarget as HTMLInputElement).value;

function TextField({ name, schema, value, isRequired, onChange, isLong }: FieldProps & { isLong: boolean }) {
  const id = useId();
  const shared = {
    id,
    value: value ?? '',
    placeholder: String(schema.default ?? ''),
    required: isRequired,
    'aria-describedby': `${id}-help`,
    onInput: (event: Event) => onChange(textOf(event) || undefined),
  };
  return html`
    <div class="field">
      <label for=${id}>${name}</label>
      ${isLong ? html`<textarea rows="3" ...${shared} />` : html`<input type="text" spellcheck=${false} autocapitalize="off" ...${shared} />`}
      <${Help} id=${`${id}-help`} schema=${schema} />
    </div>`;
}

function NumberField({ name, schema, value, isRequired, onChange }: FieldProps) {
  const id = useId();
  return html`
    <div class="field">
      <label for=${id}>${name}</label>
      <input
        type="number" id=${id} value=${value ?? ''} min=${schema.minimum} max=${schema.maximum} required=${isRequired}
        step=${schema.type === 'integer' ? 1 : 'any'} placeholder=${String(schema.default ?? '')} aria-describedby=${`${id}-help`}
        onInput=${(event: Event) => {
          const number = (event.currentTarget as HTMLInputElement).valueAsNumber;
          onChange(Number.isNaN(number) ? undefined : number);
        }}
      />
      <${Help} id=${`${id}-help`} schema=${schema} />
    </div>`;
}

/** Without a default, the service decides as long as the user does not. */
function SwitchField(props: FieldProps) {
  const { name, schema, value, onChange } = props;
  const id = useId();
  if (schema.default === undefined)
    return html`<${ChoiceField} ...${props} schema=${{ ...schema, enum: [true, false] }} />`;
  return html`
    <div class="field switch">
      <input
        type="checkbox" id=${id} checked=${value ?? schema.default} aria-describedby=${`${id}-help`}
        onChange=${(event: Event) => {
          const { checked } = event.currentTarget as HTMLInputElement;
          onChange(checked === schema.default ? undefined : checked);
        }}
      />
      <label for=${id}>${name}</label>
      <${Help} id=${`${id}-help`} schema=${schema} />
    </div>`;
}

function ChoiceField({ name, schema, value, onChange }: FieldProps) {
  const id = useId();
  const choices = schema.enum ?? [];
  const fallback = schema.default === undefined ? 'default' : `${schema.default} (default)`;
  return html`
    <div class="field">
      <label for=${id}>${name}</label>
      <select id=${id} aria-describedby=${`${id}-help`} onChange=${(event: Event) => {
        const index = (event.currentTarget as HTMLSelectElement).selectedIndex - 1;
        onChange(index < 0 ? undefined : choices[index]);
      }}>
        <option selected=${value === undefined}>${fallback}</option>
        ${choices.map((choice) => html`<option selected=${value === choice}>${String(choice)}</option>`)}
      </select>
      <${Help} id=${`${id}-help`} schema=${schema} />
    </div>`;
}

/** A list of some of few names. */
function ChipsField({ name, schema, value, onChange }: FieldProps) {
  const id = useId();
  const chosen: unknown[] = Array.isArray(value) ? value : [];
  const toggle = (choice: unknown) => {
    const next = chosen.includes(choice) ? chosen.filter((each) => each !== choice) : [...chosen, choice];
    onChange(next.length > 0 ? next : undefined);
  };
  return html`
    <fieldset class="field" aria-describedby=${`${id}-help`}>
      <legend>${name}</legend>
      <div class="chips">
        ${schema.items?.enum?.map(
          (choice) =>
            html`<button type="button" class="chip" aria-pressed=${chosen.includes(choice)} onClick=${() => toggle(choice)}>${String(choice)}</button>`,
        )}
      </div>
      <${Help} id=${`${id}-help`} schema=${schema} />
    </fieldset>`;
}

function LinesField({ name, schema, value, isRequired, onChange }: FieldProps) {
  const id = useId();
  const text = useSignal(Array.isArray(value) ? value.join('\n') : '');
  return html`
    <div class="field">
      <label for=${id}>${name} <small>one a line</small></label>
      <textarea
        id=${id} rows="2" spellcheck=${false} value=${text.value} required=${isRequired} aria-describedby=${`${id}-help`}
        onInput=${(event: Event) => {
          text.value = textOf(event);
          const lines = text.value.split('\n').map((line) => line.trim());
          const given = lines.filter((line) => line !== '');
          onChange(given.length > 0 ? given : undefined);
        }}
      />
      <${Help} id=${`${id}-help`} schema=${schema} />
    </div>`;
}

/** A value that has no field of its own is written as JSON. */
function JsonField({ name, schema, value, isRequired, onChange }: FieldProps) {
  const id = useId();
  const text = useSignal(value === undefined ? '' : JSON.stringify(value, null, 2));
  const fault = useSignal('');
  const read = (event: Event) => {
    const input = event.currentTarget as HTMLTextAreaElement;
    text.value = input.value;
    fault.value = '';
    try {
      onChange(input.value.trim() ? JSON.parse(input.value) : undefined);
    } catch (error) {
      fault.value = `This is no JSON: ${(error as Error).message}`;
    }
    input.setCustomValidity(fault.value);
  };
  return html`
    <div class="field">
      <label for=${id}>${name} <small>JSON</small></label>
      <textarea id=${id} class="code" rows="3" spellcheck=${false} value=${text.value} required=${isRequired}
        aria-describedby=${`${id}-help`} onInput=${read} />
      ${fault.value && html`<small class="error" role="alert">${fault.value}</small>`}
      <${Help} id=${`${id}-help`} schema=${schema} />
    </div>`;
}

function ObjectField({ name, schema, value, onChange }: FieldProps) {
  const values = (value ?? {}) as Values;
  return html`
    <details class="nested" open=${value !== undefined}>
      <summary>${name}${value !== undefined && html` <small>set</small>`} <${Help} id=${undefined} schema=${schema} /></summary>
      <${Fields} schema=${schema} values=${values} onChange=${(next: Values) =>
        onChange(Object.keys(next).length > 0 ? next : undefined)} />
    </details>`;
}

/** A kind of a list of kinds, such as a format: its name alone, or an object with options. */
type Kind = string | (Values & { type: string });
const typeOf = (kind: Kind): string => (typeof kind === 'string' ? kind : kind.type);

/** A list of kinds, each of which is there once, with its options. */
function KindsField({ name, schema, value, onChange }: FieldProps) {
  const id = useId();
  const kinds = (Array.isArray(value) ? value : []) as Kind[];
  const variants = variantsOf(schema.items ?? {});
  const replace = (next: Kind[]) => onChange(next.length > 0 ? next : undefined);
  const toggle = ({ type, fields }: Variant) => {
    if (kinds.some((kind) => typeOf(kind) === type))
      return replace(kinds.filter((kind) => typeOf(kind) !== type));
    return replace([...kinds, fields.required?.length ? { type } : type]);
  };
  return html`
    <fieldset class="field" aria-describedby=${`${id}-help`}>
      <legend>${name}</legend>
      <div class="chips">
        ${variants.map((variant) => {
          const isOn = kinds.some((kind) => typeOf(kind) === variant.type);
          return html`<button type="button" class="chip" aria-pressed=${isOn} onClick=${() => toggle(variant)}>${variant.type}</button>`;
        })}
      </div>
      <${Help} id=${`${id}-help`} schema=${schema} />
      ${kinds.map((kind) => {
        const variant = variants.find(({ type }) => type === typeOf(kind));
        if (!variant || !Object.keys(variant.fields.properties ?? {}).length) return null;
        const { type: _, ...values } = typeof kind === 'string' ? ({} as Values) : (kind as Values);
        return html`
          <details class="nested" key=${variant.type} open=${(variant.fields.required?.length ?? 0) > 0}>
            <summary>Options of ${variant.type}</summary>
            <${Fields} schema=${variant.fields} values=${values} onChange=${(next: Values) => {
              const isPlain = Object.keys(next).length === 0 && !variant.fields.required?.length;
              const changed: Kind = isPlain ? variant.type : { type: variant.type, ...next };
              replace(kinds.map((each) => (each === kind ? changed : each)));
            }} />
          </details>`;
      })}
    </fieldset>`;
}

/** A list of steps in their order, such as actions. */
function StepsField({ name, schema, value, onChange }: FieldProps) {
  const id = useId();
  const steps = (Array.isArray(value) ? value : []) as (Values & { type: string })[];
  const variants = variantsOf(schema.items ?? {});
  const replace = (next: typeof steps) => onChange(next.length > 0 ? next : undefined);
  return html`
    <fieldset class="field" aria-describedby=${`${id}-help`}>
      <legend>${name}</legend>
      <${Help} id=${`${id}-help`} schema=${schema} />
      <ol class="steps">
        ${steps.map((step, index) => {
          const { type, ...values } = step;
          const fields = variants.find((variant) => variant.type === type)?.fields ?? {};
          return html`
            <li key=${`${index}-${type}`}>
              <b>${type}</b>
              <button type="button" class="quiet" aria-label=${`Remove step ${index + 1}, ${type}`}
                onClick=${() => replace(steps.filter((each) => each !== step))}><${Icon} name="close" /></button>
              <${Fields} schema=${fields} values=${values} onChange=${(next: Values) =>
                replace(steps.map((each) => (each === step ? { type, ...next } : each)))} />
            </li>`;
        })}
      </ol>
      <select aria-label=${`Add to ${name}`} value="" onChange=${(event: Event) => {
        const select = event.currentTarget as HTMLSelectElement;
        if (select.value) replace([...steps, { type: select.value }]);
        select.value = '';
      }}>
        <option value="">Add a step…</option>
        ${variants.map(({ type }) => html`<option value=${type}>${type}</option>`)}
      </select>
    </fieldset>`;
}
