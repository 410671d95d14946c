/** Where a token is in the file: the offset of its first byte, and that behind its last one. */
interface Place {
  start: number;
  end: number;
}

/** A token of RTF 1.9.1. `byte` is one character of text in the code page of its font. */
export type RtfToken = Place & RtfTokenKind;

type RtfTokenKind =
  | { kind: 'open' }
  | { kind: 'close' }
  | { kind: 'word'; name: string; parameter: number | undefined }
  | { kind: 'byte'; value: number };

const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const SPACE = 0x20;
const QUOTE = 0x27;

const isLetter = (byte: number) => (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;

/** Splits RTF into tokens. Control symbols such as `\*` and `\~` are words of that one character. */
export function* readTokens(bytes: Uint8Array): Generator<RtfToken> {
  let at = 0;
  const take = (test: (byte: number) => boolean, max: number) => {
    const start = at;
    while (at < bytes.length && at - start < max && test(bytes[at] as number)) at++;
    return String.fromCharCode(...bytes.subarray(start, at));
  };
  while (at < bytes.length) {
    const start = at;
    const byte = bytes[at++] as number;
    if (byte === OPEN) yield { kind: 'open', start, end: at };
    else if (byte === CLOSE) yield { kind: 'close', start, end: at };
    else if (byte !== BACKSLASH) {
      if (byte !== 0x0a && byte !== 0x0d && byte !== 0) yield { kind: 'byte', value: byte, start, end: at };
    } else if (bytes[at] === QUOTE) {
      const value = Number.parseInt(String.fromCharCode(bytes[at + 1] ?? 0, bytes[at + 2] ?? 0), 16);
      at += 3;
      if (!Number.isNaN(value)) yield { kind: 'byte', value, start, end: at };
    } else if (isLetter(bytes[at] ?? 0)) {
      const name = take(isLetter, 32);
      const sign = bytes[at] === 0x2d ? '-' : '';
      if (sign) at++;
      const digits = take(isDigit, 10);
      if (bytes[at] === SPACE) at++;
      // The bytes after `\bin` are data.
      if (name === 'bin' && !sign) at += Number(digits || 0);
      yield { kind: 'word', name, parameter: digits ? Number(sign + digits) : undefined, start, end: at };
    } else {
      const symbol = String.fromCharCode(bytes[at++] ?? 0);
      const name = symbol === '\n' || symbol === '\r' ? 'par' : symbol;
      yield { kind: 'word', name, parameter: undefined, start, end: at };
    }
  }
}
