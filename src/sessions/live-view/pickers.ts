import { z } from 'zod';
import { pageFunction } from '../../content/open-page/page-function.ts';
import { evaluateIsolated } from '../../fetch/browser/dom/isolated-world.ts';
import { type ControlMessage, PICKER_FIELDS, type PickerSummary } from '../../schemas/live-view.ts';
import { type FocusedTab, inFocusedFrame } from './focused-frame.ts';

/** Options that are shown of a list, and characters of each label. A page may have any number. */
const MAX_OPTIONS = 1_000;
const MAX_LABEL_LENGTH = 200;
const MAX_ATTRIBUTE_LENGTH = 100;

/** Callbacks of {@link Pickers}. */
export interface PickerListeners {
  onOpened(picker: PickerSummary): void;
  onClosed(id: number): void;
}

const label = z.string().max(MAX_LABEL_LENGTH);
const attribute = z.string().max(MAX_ATTRIBUTE_LENGTH);
const openPicker = z.object({
  kind: z.enum(['select', ...PICKER_FIELDS]),
  box: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
  options: z
    .array(z.object({ label, group: label, isDisabled: z.boolean(), isSelected: z.boolean() }))
    .max(MAX_OPTIONS),
  value: attribute,
  min: attribute,
  max: attribute,
  step: attribute,
});
type OpenPicker = z.output<typeof openPicker>;

let lastId = 0;

/**
 * The list, or the chooser of a color, date or time, that the page of one tab has opened. Chromium draws it
 * in a window of its own, which no picture of the page contains, so viewers draw it.
 */
export class Pickers {
  readonly #listeners: PickerListeners;
  #shown: { id: number; description: string } | undefined;
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
    // The window of Chromium takes it, and the page does not see it.
    for (const type of ['rawKeyDown', 'keyUp'] as const)
      await tab.session.send('Input.dispatchKeyEvent', { type, ...ESCAPE });
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

  #show(open: OpenPicker | undefined): void {
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
      kinds: PICKER_FIELDS,
    };
    return (await evaluateIsolated(frame, describeInPage, bounds)) ?? undefined;
  });

/** Runs in the page: describes the field that has the focus, if a window of Chromium is open for it. */
const describeInPage = pageFunction(
  openPicker.nullable(),
  (bounds: { options: number; label: number; attribute: number; kinds: typeof PICKER_FIELDS }, dom) => {
    const element = dom.focusedElement();
    if (!element || !dom.matches(element, ':open')) return null;
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
          group: (group?.label ?? '').slice(0, bounds.label),
          isDisabled: option.disabled || (group?.disabled ?? false),
          isSelected: option.selected,
        });
      }
      return { kind: 'select' as const, box, options, value: '', min, max, step };
    }
    if (!(element instanceof HTMLInputElement)) return null;
    const kind = bounds.kinds.find((each) => each === element.type);
    if (!kind) return null;
    return { kind, box, options: [], value: element.value.slice(0, bounds.attribute), min, max, step };
  },
);

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
    } else if (element instanceof HTMLInputElement && element.type === kind) {
      if (element.value === value) return;
      element.value = value;
    } else return;
    dom.dispatch(element, new Event('input', { bubbles: true, composed: true }));
    dom.dispatch(element, new Event('change', { bubbles: true }));
  },
);
