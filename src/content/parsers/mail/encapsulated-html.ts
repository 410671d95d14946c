import { escapeHtml } from '../../html/parse/escape-html.ts';
import { encodingOfCodePage } from '../charsets/code-pages.ts';
import { CHARACTERS } from '../rtf/characters.ts';
import { readTokens } from '../rtf/tokens.ts';

/** The control word for RTF that was made from HTML is among the first bytes. */
const BEGINNING_BYTES = 1000;
/** Groups nested deeper than this are not read. */
const MAX_DEPTH = 500;
/** Groups whose text is not part of the mail, besides those that begin with `\\*`. */
const SKIPPED = new Set(['fonttbl', 'colortbl', 'stylesheet', 'info', 'pntext']);

interface GroupState {
  kind: 'text' | 'tag' | 'skip';
  isOptional: boolean;
  /** Whether what follows is only for readers of RTF. */
  isRtfOnly: boolean;
  /** Number of bytes that follow `\\u` for readers without Unicode. */
  fallbackBytes: number;
}

/** Whether RTF is HTML in disguise, as Outlook writes it. */
export const containsHtml = (rtf: Buffer): boolean =>
  rtf.subarray(0, BEGINNING_BYTES).includes('\\fromhtml1');

/** Takes the HTML out of RTF that Outlook made from it (MS-OXRTFEX). */
export function extractHtml(rtf: Buffer): string {
  const reader = new HtmlReader();
  for (const token of readTokens(rtf)) {
    if (token.kind === 'open') reader.open();
    else if (token.kind === 'close') reader.close();
    else if (token.kind === 'byte') reader.byte(token.value);
    else reader.word(token.name, token.parameter);
  }
  return reader.end();
}

class HtmlReader {
  #html = '';
  #encoding = 'windows-1252';
  #bytes: number[] = [];
  #toSkip = 0;
  #depth = 0;
  readonly #groups: GroupState[] = [];
  #state: GroupState = { kind: 'text', isOptional: false, isRtfOnly: false, fallbackBytes: 1 };

  open(): void {
    this.#flush();
    if (++this.#depth > MAX_DEPTH) return;
    this.#groups.push({ ...this.#state });
    this.#state.isOptional = false;
  }

  close(): void {
    this.#flush();
    if (this.#depth > 0 && this.#depth-- > MAX_DEPTH) return;
    this.#state = this.#groups.pop() ?? this.#state;
  }

  byte(value: number): void {
    if (this.#toSkip > 0) this.#toSkip--;
    else this.#bytes.push(value);
  }

  word(name: string, parameter: number | undefined): void {
    this.#flush();
    this.#toSkip = 0;
    const state = this.#state;
    if (name === '*') state.isOptional = true;
    else if (name === 'htmltag') state.kind = 'tag';
    else if (state.isOptional || SKIPPED.has(name)) state.kind = 'skip';
    else if (name === 'htmlrtf') state.isRtfOnly = parameter !== 0;
    else if (name === 'uc') state.fallbackBytes = parameter ?? 1;
    else if (name === 'ansicpg') this.#encoding = encodingOfCodePage(parameter ?? 1252);
    else if (name === 'par') this.#write('\r\n');
    else if (name === 'u') {
      this.#write(String.fromCharCode((parameter ?? 0) & 0xffff));
      this.#toSkip = state.fallbackBytes;
    } else if (CHARACTERS[name] !== undefined) this.#write(CHARACTERS[name]);
    state.isOptional = name === '*';
  }

  end(): string {
    this.#flush();
    return this.#html;
  }

  /** Decodes the bytes since the last token that was not text; a character can have several. */
  #flush(): void {
    if (this.#bytes.length === 0) return;
    const text = new TextDecoder(this.#encoding).decode(Uint8Array.from(this.#bytes));
    this.#bytes = [];
    this.#write(text);
  }

  /** Tags and entities are in groups of their own; the rest is text. */
  #write(text: string): void {
    const { kind, isRtfOnly } = this.#state;
    if (kind === 'skip' || isRtfOnly) return;
    this.#html += kind === 'tag' ? text : escapeHtml(text);
  }
}
