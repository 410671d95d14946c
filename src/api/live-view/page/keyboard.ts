import { browserCommandOf } from './browser-keys.ts';
import type { Connection } from './connection.ts';
import { macCommandsOf } from './mac-commands.ts';
import { hasMacKeyboard, modifiersOf } from './modifiers.ts';

const MAX_TEXT_LENGTH = 10_000;
const MAX_COMPOSITION_LENGTH = 1_000;
/** The key code that browsers report for keys that an input method handles. */
const INPUT_METHOD_KEY_CODE = 229;
/** Keys that the viewer's own browser keeps: full screen and developer tools. */
const LOCAL_KEYS = new Set(['F11', 'F12']);

/** What the keyboard needs of the page. */
interface KeyboardOptions {
  /** Characters that can be pasted at once. */
  maxPasteLength: number;
  /** Called with what the viewer has to know. */
  onNotice(text: string): void;
  /** Called when the viewer wants to type a URL. */
  onAddress(): void;
}

/**
 * Sends what is typed, composed by an input method, and pasted. A text field that nobody sees has the focus,
 * because input methods, the keyboards of phones and pasting need one. It stays empty.
 */
export class Keyboard {
  readonly #field: HTMLTextAreaElement;
  readonly #connection: Connection;
  readonly #options: KeyboardOptions;
  /** The pressed keys, by `code`. */
  readonly #pressed = new Map<string, KeyboardEvent>();

  constructor(field: HTMLTextAreaElement, connection: Connection, options: KeyboardOptions) {
    this.#field = field;
    this.#connection = connection;
    this.#options = options;
    field.addEventListener('keydown', (event) => this.#keyDown(event));
    field.addEventListener('keyup', (event) => this.#keyUp(event));
    field.addEventListener('blur', () => this.releaseKeys());
    field.addEventListener('beforeinput', (event) => this.#typeWithoutKey(event));
    field.addEventListener('compositionupdate', ({ data }) => {
      connection.send({ type: 'composition', text: data.slice(0, MAX_COMPOSITION_LENGTH) });
    });
    field.addEventListener('compositionend', ({ data }) => this.#commit(data));
    field.addEventListener('input', (event) => {
      if (!(event instanceof InputEvent && event.isComposing)) field.value = '';
    });
    field.addEventListener('paste', (event) => {
      event.preventDefault();
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (text.length > options.maxPasteLength)
        options.onNotice(`Only ${options.maxPasteLength} characters can be pasted at once.`);
      else if (text) connection.send({ type: 'paste', text });
    });
  }

  /** Has keys go to the remote browser. */
  focus(): void {
    this.#field.focus({ preventScroll: true });
  }

  /** Moves the text field, where an input method shows its suggestions. */
  moveTo({ clientX, clientY }: { clientX: number; clientY: number }): void {
    const box = this.#field.offsetParent?.getBoundingClientRect();
    this.#field.style.left = `${clientX - (box?.left ?? 0)}px`;
    this.#field.style.top = `${clientY - (box?.top ?? 0)}px`;
  }

  /** Keys that are released elsewhere would remain pressed. */
  releaseKeys(): void {
    for (const event of this.#pressed.values()) this.#send('up', event);
    this.#pressed.clear();
  }

  #keyDown(event: KeyboardEvent): void {
    if (event.isComposing || event.keyCode === INPUT_METHOD_KEY_CODE || LOCAL_KEYS.has(event.key)) return;
    const isShortcut = (hasMacKeyboard ? event.metaKey : event.ctrlKey) && !event.altKey;
    const key = event.key.toLowerCase();
    // The event `paste` follows, with the viewer's clipboard.
    if ((isShortcut && key === 'v') || (event.shiftKey && key === 'insert')) return;
    event.preventDefault();
    const command = browserCommandOf(event);
    if (command) {
      if (command === 'address') this.#options.onAddress();
      else this.#connection.send({ type: 'history', move: command });
      return;
    }
    if (isShortcut && (key === 'c' || key === 'x')) this.#connection.send({ type: 'copy' });
    this.#pressed.set(event.code, event);
    this.#send('down', event);
  }

  #keyUp(event: KeyboardEvent): void {
    // A Mac does not report the release of keys while Command is pressed.
    if (event.key === 'Meta' && hasMacKeyboard) this.releaseKeys();
    else if (this.#pressed.delete(event.code)) this.#send('up', event);
  }

  #send(action: 'down' | 'up', event: KeyboardEvent): void {
    const commands = hasMacKeyboard && action === 'down' ? macCommandsOf(event) : undefined;
    const text = action === 'down' && !commands ? textOf(event) : undefined;
    const isCommandKey = hasMacKeyboard && event.key === 'Meta';
    this.#connection.send({
      type: 'key',
      action,
      key: isCommandKey ? 'Control' : event.key.slice(0, 32),
      code: isCommandKey ? 'ControlLeft' : event.code,
      keyCode: isCommandKey ? 17 : event.keyCode & 255,
      location: event.location,
      repeat: event.repeat,
      // Alt and Ctrl that make a character are no modifiers of it.
      modifiers: text && isCharacter(event) ? modifiersOf(event) & 8 : modifiersOf(event),
      ...(text && { text }),
      ...(commands && { commands }),
    });
  }

  /** @param text of an input method */
  #commit(text: string): void {
    if (text) this.#connection.send({ type: 'text', text: text.slice(0, MAX_TEXT_LENGTH) });
    else this.#connection.send({ type: 'composition', text: '' });
    this.#field.value = '';
  }

  /** Keyboards of phones and the menu of emojis report text without a key. */
  #typeWithoutKey(event: InputEvent): void {
    if (event.isComposing || event.inputType === 'insertCompositionText') return;
    event.preventDefault();
    if (event.inputType === 'insertText' && event.data)
      this.#connection.send({ type: 'text', text: event.data.slice(0, MAX_TEXT_LENGTH) });
    else if (event.inputType === 'insertLineBreak') this.#press('Enter', 13, '\r');
    else if (event.inputType === 'deleteContentBackward') this.#press('Backspace', 8);
  }

  #press(key: string, keyCode: number, text?: string): void {
    const common = {
      type: 'key',
      key,
      code: key,
      keyCode,
      location: 0,
      repeat: false,
      modifiers: 0,
    } as const;
    this.#connection.send({ ...common, action: 'down', ...(text && { text }) });
    this.#connection.send({ ...common, action: 'up' });
  }
}

/** The text that a key types. */
function textOf(event: KeyboardEvent): string | undefined {
  if (event.key === 'Enter') return '\r';
  return isCharacter(event) ? event.key : undefined;
}

function isCharacter(event: KeyboardEvent): boolean {
  if ([...event.key].length !== 1) return false;
  if (event.getModifierState('AltGraph')) return true;
  return !event.ctrlKey && !event.metaKey && (hasMacKeyboard || !event.altKey);
}
