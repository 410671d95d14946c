import { html } from 'htm/preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { PickerSummary } from '../../../schemas/live-view.ts';
import type { Actions } from './bar.ts';
import type { Screen } from './screen.ts';
import { lastPress, picker } from './state.ts';

const FIELD_NAMES = {
  color: 'Color',
  date: 'Date',
  'datetime-local': 'Date and time',
  month: 'Month',
  week: 'Week',
  time: 'Time',
} as const;

/** The list, the chooser of a color, date or time, or the suggestions for a field, that the page has opened. */
export function Picker({ actions, screen }: { actions: Actions; screen: Screen }) {
  const open = picker.value;
  if (!open) return null;
  const pick = (choice: { index?: number; value?: string }) => {
    picker.value = undefined;
    actions.send({ type: 'pick', id: open.id, ...choice });
    actions.focusPage();
  };
  if (open.kind === 'suggestions') {
    return html`
      <${Placed} key=${open.id} open=${open} screen=${screen} onCancel=${() => {
        picker.value = undefined;
        actions.focusPage();
      }}>
        <${Suggestions} open=${open} onPick=${(value: string) => pick({ value })} />
      <//>`;
  }
  return html`
    <div class="shade" onMouseDown=${() => pick({})} />
    <${Placed} key=${open.id} open=${open} screen=${screen} onCancel=${() => pick({})}>
      ${
        open.kind === 'select'
          ? html`<${OptionList} open=${open} onPick=${(index: number) => pick({ index })} />`
          : html`<${Field} open=${open} onPick=${(value: string) => pick({ value })} onCancel=${() => pick({})} />`
      }
    <//>`;
}

/** Places what the page has opened below its field, or above it where there is more room. */
function Placed({
  open,
  screen,
  onCancel,
  children,
}: {
  open: PickerSummary;
  screen: Screen;
  onCancel: () => void;
  children: unknown;
}) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const panel = element.current;
    const area = panel?.parentElement?.getBoundingClientRect();
    if (!panel || !area) return;
    const { box } = open;
    const press = { x: lastPress.value.x - area.left, y: lastPress.value.y - area.top };
    const top = box ? screen.toLocal(box) : press;
    const bottom = box ? screen.toLocal({ x: box.x + box.width, y: box.y + box.height }) : press;
    const { height, width } = panel.getBoundingClientRect();
    const roomBelow = area.height - bottom.y;
    const isBelow = roomBelow >= height || roomBelow >= top.y;
    panel.style.maxHeight = `${Math.max(120, (isBelow ? roomBelow : top.y) - 8)}px`;
    panel.style.minWidth = `${Math.min(area.width - 16, bottom.x - top.x)}px`;
    panel.style.left = `${Math.max(8, Math.min(top.x, area.width - width - 8))}px`;
    if (isBelow) panel.style.top = `${Math.max(0, Math.min(bottom.y, area.height - 128))}px`;
    else panel.style.bottom = `${area.height - top.y}px`;
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' && event.key !== 'Tab') return;
    event.preventDefault();
    onCancel();
  };
  return html`<div ref=${element} id="picker" class="panel" onKeyDown=${onKeyDown}>${children}</div>`;
}

function OptionList({ open, onPick }: { open: PickerSummary; onPick: (index: number) => void }) {
  const list = useRef<HTMLDivElement>(null);
  const enabled = () => [
    ...(list.current?.querySelectorAll<HTMLElement>('[role=option]:not([aria-disabled=true])') ?? []),
  ];
  useEffect(() => {
    const first = list.current?.querySelector<HTMLElement>('[aria-selected=true]') ?? enabled()[0];
    first?.focus();
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const options = enabled();
    const at = options.indexOf(document.activeElement as HTMLElement);
    const move = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: options.length - 1 }[event.key];
    if (move !== undefined) {
      event.preventDefault();
      options[Math.max(0, Math.min(options.length - 1, move))]?.focus();
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      options[at]?.click();
    } else if (event.key.length === 1) {
      const begins = (option: HTMLElement) =>
        option.textContent?.trim().toLowerCase().startsWith(event.key.toLowerCase());
      (options.slice(at + 1).find(begins) ?? options.find(begins))?.focus();
    }
  };
  let group = '';
  return html`
    <div ref=${list} role="listbox" aria-label="Options" onKeyDown=${onKeyDown}>
      ${open.options.map((option, index) => {
        const heading = option.group !== group && option.group;
        group = option.group;
        return html`
          ${heading && html`<div class="group" role="presentation">${heading}</div>`}
          <div role="option" tabindex="-1" aria-selected=${option.isSelected} aria-disabled=${option.isDisabled}
            onClick=${() => option.isDisabled || onPick(index)}>${option.label || '\u00a0'}</div>`;
      })}
    </div>`;
}

/**
 * What the page suggests for a field. The keyboard stays with the page, where the viewer goes on typing, until the
 * arrow down leads into the list.
 */
function Suggestions({ open, onPick }: { open: PickerSummary; onPick: (value: string) => void }) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const options = [...(list.current?.querySelectorAll<HTMLElement>('[role=option]') ?? [])];
      const at = options.indexOf(document.activeElement as HTMLElement);
      if (event.key === 'Escape' && at < 0) picker.value = undefined;
      const move = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
      if (move !== undefined && (at >= 0 || move === 0))
        options[Math.max(0, Math.min(options.length - 1, move))]?.focus();
      else if (event.key === 'Enter' && at >= 0) options[at]?.click();
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    document.addEventListener('keydown', onKeyDown, true);
    return () => document.removeEventListener('keydown', onKeyDown, true);
  }, []);
  return html`
    <div ref=${list} role="listbox" aria-label="Suggestions" onMouseDown=${(event: Event) => event.preventDefault()}>
      ${open.options.map(
        ({ label, value }) =>
          html`<div role="option" tabindex="-1" aria-selected="false" onClick=${() => onPick(value)}>${label}</div>`,
      )}
    </div>`;
}

function Field(options: { open: PickerSummary; onPick: (value: string) => void; onCancel: () => void }) {
  const { open, onPick, onCancel } = options;
  const { kind, value, min, max, step } = open;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const name = kind === 'select' || kind === 'suggestions' ? '' : FIELD_NAMES[kind];
  const submit = (event: Event) => {
    event.preventDefault();
    onPick(field.current?.value ?? '');
  };
  return html`
    <form onSubmit=${submit}>
      <label>${name} <input ref=${field} type=${kind} defaultValue=${value} min=${min || undefined} max=${max || undefined} step=${step || undefined} /></label>
      <p class="dialog-buttons"><button type="button" onClick=${onCancel}>Cancel</button><button class="primary">Choose</button></p>
    </form>`;
}
