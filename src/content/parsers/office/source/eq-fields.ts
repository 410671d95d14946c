import { escapeHtml, unescapeXml } from '../../../html/parse/escape-html.ts';
import { mathTokens } from './omml.ts';

/** Formulas longer than this, in characters, or nested deeper stay as they are. */
const MAX_LENGTH = 5000;
const MAX_DEPTH = 30;

const LARGE: Record<string, string> = { su: '∑', pr: '∏' };
const CLOSING: Record<string, string> = { '(': ')', '[': ']', '{': '}', '<': '>' };

/**
 * Converts the instruction of a field that describes a formula (`EQ`, as in older Word documents) to MathML.
 * @param instruction such as ` EQ \f(1,2) `
 * @returns undefined for an instruction of another kind
 */
function eqToMathml(instruction: string): string | undefined {
  const code = /^\s*EQ\s+(\S[\s\S]*)$/i.exec(instruction)?.[1];
  if (code === undefined || code.length > MAX_LENGTH) return undefined;
  const content = new EqReader(code.trim()).sequence(0);
  return content && `<math>${content}</math>`;
}

interface Option {
  name: string;
  value: string;
}

class EqReader {
  readonly #code: string;
  #at = 0;

  constructor(code: string) {
    this.#code = code;
  }

  /** The content up to the end of an argument. */
  sequence(depth: number): string {
    let written = '';
    let text = '';
    const flush = () => {
      written += mathTokens(text);
      text = '';
    };
    while (this.#at < this.#code.length) {
      const character = this.#code[this.#at] as string;
      if (depth > 0 && /[,;)]/.test(character)) break;
      if (character !== '\\') {
        text += character;
        this.#at++;
        continue;
      }
      const command = /^\\([a-z])/i.exec(this.#code.slice(this.#at, this.#at + 2))?.[1];
      if (command === undefined || depth > MAX_DEPTH) {
        text += this.#code[this.#at + 1] ?? '';
        this.#at += 2;
        continue;
      }
      flush();
      this.#at += 2;
      written += this.#structure(command.toLowerCase(), depth);
    }
    flush();
    return written;
  }

  #structure(command: string, depth: number): string {
    const options = this.#options();
    const parts = this.#arguments(depth);
    const [first = '', second = '', third = ''] = parts;
    switch (command) {
      case 'f':
        return `<mfrac>${row(first)}${row(second)}</mfrac>`;
      case 'r':
        if (parts.length < 2 || first === '') return `<msqrt>${row(parts.at(-1) ?? '')}</msqrt>`;
        return `<mroot>${row(second)}${row(first)}</mroot>`;
      case 's':
        return script(parts, options);
      case 'i': {
        const sign = LARGE[options.find(({ name }) => name in LARGE)?.name ?? ''] ?? '∫';
        return `<munderover><mo>${sign}</mo>${row(first)}${row(second)}</munderover>${row(third)}`;
      }
      case 'b':
        return bracketed(parts, options);
      case 'a':
        return table(parts, options);
      case 'o':
        return second ? `<mover>${row(first)}${row(second)}</mover>` : row(first);
      default:
        return parts.map(row).join('<mo>,</mo>');
    }
  }

  #options(): Option[] {
    const options: Option[] = [];
    for (;;) {
      this.#skipSpace();
      const match =
        /^\\(bc|lc|rc|co|hs|vs|up|do|al|ac|ar|ai|di|in|su|pr|fc|vc|to|bo|le|ri|fo|ba|li)\s*(?:\\(.)|(-?\d+))?/i.exec(
          this.#code.slice(this.#at, this.#at + 20),
        );
      if (!match) return options;
      const name = (match[1] ?? '').toLowerCase();
      const takesCharacter = /^(?:bc|lc|rc|fc|vc)$/.test(name);
      // The next option begins with a backslash too.
      const length = match[2] && !takesCharacter ? 1 + name.length : match[0].length;
      options.push({ name, value: (takesCharacter ? match[2] : match[3]) ?? '' });
      this.#at += length;
    }
  }

  #arguments(depth: number): string[] {
    this.#skipSpace();
    if (this.#code[this.#at] !== '(') return [];
    const parts: string[] = [];
    do {
      this.#at++;
      parts.push(this.sequence(depth + 1));
    } while (/[,;]/.test(this.#code[this.#at] ?? ''));
    this.#at++;
    return parts;
  }

  #skipSpace(): void {
    while (this.#code[this.#at] === ' ') this.#at++;
  }
}

const row = (content: string) => `<mrow>${content}</mrow>`;
const operator = (text: string) => `<mo>${escapeHtml(text)}</mo>`;

/** Text above or below the line, beside what stands before it. */
function script(parts: readonly string[], options: readonly Option[]): string {
  const [first = '', second] = parts;
  if (second !== undefined) return `<msubsup><mrow></mrow>${row(second)}${row(first)}</msubsup>`;
  const isBelow = options.some(({ name }) => name === 'do');
  return isBelow ? `<msub><mrow></mrow>${row(first)}</msub>` : `<msup><mrow></mrow>${row(first)}</msup>`;
}

function bracketed(parts: readonly string[], options: readonly Option[]): string {
  const of = (wanted: string) => options.find(({ name }) => name === wanted)?.value;
  const both = of('bc');
  const [left, right] = [of('lc'), of('rc')];
  const isLone = left !== undefined || right !== undefined;
  const open = both ?? left ?? (isLone ? '' : '(');
  const close = both === undefined ? (right ?? (isLone ? '' : ')')) : (CLOSING[both] ?? both);
  const content = parts.join('<mo>,</mo>');
  if (open && close) return row(`${operator(open)}${content}${operator(close)}`);
  return `<mfenced open="${escapeHtml(open)}" close="${escapeHtml(close)}" separators="">${row(content)}</mfenced>`;
}

function table(parts: readonly string[], options: readonly Option[]): string {
  const columns = Math.max(1, Number(options.find(({ name }) => name === 'co')?.value || 1));
  const rows: string[] = [];
  for (let at = 0; at < parts.length; at += columns)
    rows.push(
      `<mtr>${parts
        .slice(at, at + columns)
        .map((cell) => `<mtd>${cell}</mtd>`)
        .join('')}</mtr>`,
    );
  return `<mtable>${rows.join('')}</mtable>`;
}

const BEGIN = 'w:fldCharType="begin"';
const END = 'w:fldCharType="end"';
const INSTRUCTION = /<w:instrText(?:\s[^<>]*)?>([^<]*)<\/w:instrText>/g;
/** How long the XML of a field with a formula may be. */
const MAX_FIELD = 50_000;

/**
 * Replaces the fields of a part that describe formulas.
 * @param write writes what takes the place of a field
 */
export function replaceEqFields(xml: string, write: (mathml: string) => string): string {
  if (!/>\s*EQ\s/i.test(xml)) return xml;
  let written = '';
  let copiedTo = 0;
  for (let at = xml.indexOf(BEGIN); at !== -1; at = xml.indexOf(BEGIN, at + 1)) {
    const start = Math.max(xml.lastIndexOf('<w:r>', at), xml.lastIndexOf('<w:r ', at));
    const end = xml.indexOf('</w:r>', xml.indexOf(END, at)) + '</w:r>'.length;
    if (start < copiedTo || end <= at || end - start > MAX_FIELD) continue;
    const field = xml.slice(start, end);
    // A field within another one is not looked at.
    if (field.indexOf(BEGIN) !== field.lastIndexOf(BEGIN)) continue;
    const code = [...field.matchAll(INSTRUCTION)].map(([, text]) => text).join('');
    const mathml = eqToMathml(unescapeXml(code));
    if (!mathml) continue;
    written += xml.slice(copiedTo, start) + write(mathml);
    copiedTo = end;
  }
  return written + xml.slice(copiedTo);
}
