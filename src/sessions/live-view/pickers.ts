import { z } from 'zod';
import { pageFunction } from '../../content/open-page/page-function.ts';
import { evaluateIsolated } from '../../fetch/browser/dom/isolated-world.ts';
import { type ControlMessage, PICKER_FIELDS, type PickerSummary } from '../../schemas/live-view.ts';
import { type FocusedTab, inFocusedFrame } from './focused-frame.ts';

/** Options that are shown of a list, and characters of each label. A page may have any number. */
const MAX_OPTIONS = 1_000;
const MAX_LABEL_LENGTH = 200;
const MAX_ATTRIBUTE_LENGTH = 100;
/** Suggestions that are shown at once: those that fit what is typed. */
const MAX_SUGGESTIONS = 20;

/** Callbacks of {@link Pickers}. */
export interface PickerListeners {
  onOpened(picker: PickerSummary): void;
  onClosed(id: number): void;
}

const label = z.string().max(MAX_LABEL_LENGTH);
const attribute = z.string().max(MAX_ATTRIBUTE_LENGTH);
const openPicker = z.object({
  kind: z.enum(['select', 'suggestions', ...PICKER_FIELDS]),
  box: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
  options: z
    .array(z.object({ label, value: label, group: label, isDisabled: z.boolean(), isSelected: z.boolean() }))
    .max(MAX_OPTIONS),
  value: attribute,
  min: attribute,
  max: attribute,
  step: attribute,
});
type OpenPicker = z.output<typeof openPicker>;

let lastId = 0;

/**
 * The list, the chooser of a color, date or time, or the suggestions for a field, that the page of one tab has opened. Chromium draws it
 * in a window of its own, which no picture of the page contains, so viewers draw it.
 */
export class Pickers {
  readonly #listeners: PickerListeners;
  #shown: { id: number; description: string } | undefined;
  #hasSuggestions = false;
  #isLooking = false;
  #mustLookAgain = false;
  #hasEnded = false;

  constructor(listeners: PickerListeners) {
    this.#listeners = listeners;
  }

  /** Whether one is open. */
  get isOpen(): boolean {
    return this.#shown !== undefined;
  }

  /** Whether the field with the focus has suggestions, which change with what is typed. */
  get hasSuggestions(): boolean {
    return this.#hasSuggestions;
  }

  /** Looks whether one has been opened or closed. To be called when the page has handled a press or a key. */
  async look(tab: FocusedTab): Promise<void> {
    this.#mustLookAgain = this.#isLooking;
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      this.#show(await findOpen(tab));
    } catch {
      // The page was left or closed meanwhile, and what it had opened with it.
      this.#show(undefined);
    } finally {
      this.#isLooking = false;
    }
    if (this.#mustLookAgain) await this.look(tab);
  }

  /** Chooses, or closes the list without a choice, unless it has been closed. */
  async pick(tab: FocusedTab, message: Extract<ControlMessage, { type: 'pick' }>): Promise<void> {
    if (message.id !== this.#shown?.id) return;
    this.#show(undefined);
    const open = await findOpen(tab);
    if (!open) return;
    // The window of Chromium takes it, and the page does not see it. For suggestions, Chromium has none here.
    for (const type of ['rawKeyDown', 'keyUp'] as const)
      if (open.kind !== 'suggestions') await tab.session.send('Input.dispatchKeyEvent', { type, ...ESCAPE });
    const { index, value } = message;
    const isOption = open.kind === 'select' && index !== undefined;
    if (isOption || (open.kind !== 'select' && value !== undefined))
      await inFocusedFrame(tab, (frame) =>
        evaluateIsolated(frame, chooseInPage, { kind: open.kind, index: index ?? 0, value: value ?? '' }),
      );
  }

  /** Shows nothing any more. */
  close(): void {
    this.#show(undefined);
    this.#hasEnded = true;
  }

  #show(found: OpenPicker | undefined): void {
    this.#hasSuggestions = found?.kind === 'suggestions';
    const open = this.#hasSuggestions && !found?.options.length ? undefined : found;
    const description = open && JSON.stringify(open);
    if (description === this.#shown?.description || this.#hasEnded) return;
    if (this.#shown) this.#listeners.onClosed(this.#shown.id);
    this.#shown = undefined;
    if (!open || description === undefined) return;
    lastId++;
    this.#shown = { id: lastId, description };
    this.#listeners.onOpened({ id: lastId, ...open });
  }
}

const ESCAPE = { key: 'Escape', code: 'Escape', windowsVirtualKeyCode: 27 };

const findOpen = (tab: FocusedTab): Promise<OpenPicker | undefined> =>
  inFocusedFrame(tab, async (frame) => {
    const bounds = {
      options: MAX_OPTIONS,
      label: MAX_LABEL_LENGTH,
      attribute: MAX_ATTRIBUTE_LENGTH,
      suggestions: MAX_SUGGESTIONS,
      kinds: PICKER_FIELDS,
    };
    return (await evaluateIsolated(frame, describeInPage, bounds)) ?? undefined;
  });

/** How much of a field is described. */
interface Bounds {
  options: number;
  label: number;
  attribute: number;
  suggestions: number;
  kinds: typeof PICKER_FIELDS;
}

/**
 * Runs in the page: describes the field that has the focus, if a window of Chromium is open for it or the page has
 * suggestions for it.
 */
const describeInPage = pageFunction(openPicker.nullable(), (bounds: Bounds, dom) => {
  const element = dom.focusedElement();
  if (!element) return null;
  const isOpen = dom.matches(element, ':open');
  const list = element instanceof HTMLInputElement && !isOpen ? element.list : null;
  if (!isOpen && !list) return null;
  const { x, y, width, height } = dom.rect(element);
  const box = { x, y, width, height };
  const cut = (name: string) => (dom.attribute(element, name) ?? '').slice(0, bounds.attribute);
  const [min, max, step] = [cut('min'), cut('max'), cut('step')];
  if (element instanceof HTMLSelectElement) {
    const options = [];
    for (let index = 0; index < element.length && index < bounds.options; index++) {
      const option = element.item(index);
      if (!option) continue;
      const parent = dom.parentElement(option);
      const group = parent instanceof HTMLOptGroupElement ? parent : undefined;
      options.push({
        label: option.label.slice(0, bounds.label),
        value: '',
        group: (group?.label ?? '').slice(0, bounds.label),
        isDisabled: option.disabled || (group?.disabled ?? false),
        isSelected: option.selected,
      });
    }
    return { kind: 'select' as const, box, options, value: '', min, max, step };
  }
  if (!(element instanceof HTMLInputElement)) return null;
  if (list instanceof HTMLDataListElement) {
    const typed = element.value.toLowerCase();
    const options = [];
    for (let index = 0; index < list.options.length && index < bounds.options; index++) {
      const option = list.options.item(index);
      const isOther = option && !option.disabled && option.value !== element.value;
      if (!isOther || option.value.length > bounds.label) continue;
      const { value } = option;
      const label = option.label && option.label !== value ? `${value} – ${option.label}` : value;
      if (!label.toLowerCase().includes(typed)) continue;
      options.push({
        label: label.slice(0, bounds.label),
        value,
        group: '',
        isDisabled: false,
        isSelected: false,
      });
      if (options.length === bounds.suggestions) break;
    }
    return {
      kind: 'suggestions' as const,
      box,
      options,
      value: element.value.slice(0, bounds.attribute),
      min,
      max,
      step,
    };
  }
  const kind = bounds.kinds.find((each) => each === element.type);
  if (!kind) return null;
  return { kind, box, options: [], value: element.value.slice(0, bounds.attribute), min, max, step };
});

/** Runs in the page: changes the field that has the focus as a user does. */
const chooseInPage = pageFunction(
  z.void(),
  ({ kind, index, value }: { kind: string; index: number; value: string }, dom) => {
    const element = dom.focusedElement();
    if (element instanceof HTMLSelectElement && kind === 'select') {
      const option = element.item(index);
      const parent = option && dom.parentElement(option);
      const isDisabled = option?.disabled || (parent instanceof HTMLOptGroupElement && parent.disabled);
      if (!option || isDisabled || element.selectedIndex === index) return;
      element.selectedIndex = index;
    } else if (element instanceof HTMLInputElement && (element.type === kind || kind === 'suggestions')) {
      const { list } = element;
      // A viewer chooses what the page suggests, and nothing else.
      if (kind === 'suggestions' && ![...(list?.options ?? [])].some((option) => option.value === value))
        return;
      if (element.value === value) return;
      element.value = value;
    } else return;
    dom.dispatch(element, new Event('input', { bubbles: true, composed: true }));
    dom.dispatch(element, new Event('change', { bubbles: true }));
  },
);
