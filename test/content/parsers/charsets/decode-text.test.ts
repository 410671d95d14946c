import { describe, expect, it } from 'vitest';
import { decodeText } from '../../../../src/content/parsers/charsets/decode-text.ts';

/**
 * "Привет, мир! Это обычный русский текст…" in windows-1251, KOI8-R: letters by their place in the alphabet.
 */
const RUSSIAN = 'Привет, мир! Это обычный русский текст, который никто не объявил. '.repeat(10);
const GERMAN = 'Grüße aus München: die Straße ist schön und das Käsebrot kostet fünf Groschen. '.repeat(10);
const JAPANESE = 'これは日本語の文章です。文字コードは宣言されていません。';
const CHINESE = '这是一个没有声明编码的中文网页，里面有很多汉字。';

/**
 * The bytes of a text in an encoding: each character looked up in what the decoder makes of all its codes.
 */
function encode(text: string, label: string): Buffer {
  const decoder = new TextDecoder(label);
  const codes = new Map<string, number[]>();
  for (let first = 0; first < 256; first++) {
    const alone = decoder.decode(Uint8Array.of(first));
    if (alone.length === 1 && alone !== '\uFFFD' && !codes.has(alone)) codes.set(alone, [first]);
    if (first < 0x81 || /^(windows|koi8|iso-8859)/.test(label)) continue;
    for (let second = 0x40; second < 256; second++) {
      const pair = decoder.decode(Uint8Array.of(first, second));
      if (pair.length === 1 && pair !== '\uFFFD' && !codes.has(pair)) codes.set(pair, [first, second]);
    }
  }
  return Buffer.from([...text].flatMap((character) => codes.get(character) ?? [0x3f]));
}

describe('text with a declared encoding', () => {
  it.each([
    ['windows-1251', RUSSIAN],
    ['koi8-r', RUSSIAN],
    ['iso-8859-1', GERMAN],
    ['shift_jis', JAPANESE],
    ['euc-jp', JAPANESE],
    ['gb2312', CHINESE],
    ['big5', '這是中文網頁'],
    ['utf-8', JAPANESE],
  ])('is decoded as %s by header, meta element or XML declaration', (label, text) => {
    const bytes = (prefix: string) => {
      return Buffer.concat([
        Buffer.from(prefix),
        label === 'utf-8' ? Buffer.from(text) : encode(text, label),
      ]);
    };
    expect(decodeText(bytes(''), `text/html; charset=${label}`)).toBe(text);
    expect(decodeText(bytes(''), `text/html;Charset="${label.toUpperCase()}"; x=y`)).toBe(text);
    for (const prefix of [
      `<meta charset="${label}">`,
      `<meta http-equiv="Content-Type" content="text/html; charset=${label}">`,
      `<?xml version="1.0" encoding="${label}"?>`,
      `<!-- ${'x'.repeat(2_000)} --><meta charset=${label}>`,
    ]) {
      expect(decodeText(bytes(prefix), 'text/html')).toBe(prefix + text);
    }
  });

  it('prefers a byte order mark over the header, and the header over a meta element', () => {
    const page = '<meta charset="windows-1251">Grüße';
    expect(decodeText(Buffer.from(page), 'text/html; charset=utf-8')).toBe(page);
    expect(decodeText(Buffer.from(`\uFEFF${page}`), 'text/html; charset=koi8-r')).toBe(page);
    expect(decodeText(Buffer.from(`\uFEFF${page}`, 'utf16le'), 'text/html; charset=utf-8')).toBe(page);
    for (const type of ['', 'text/html; charset=utf-8'])
      expect(decodeText(Buffer.from(`\uFEFF${page}`, 'utf16le').swap16(), type)).toBe(page);
  });

  it('is UTF-8 where its characters beyond ASCII are, whatever is declared', () => {
    const text = 'Höfn, 港口: “naïve”';
    for (const label of ['iso-8859-1', 'windows-1251', 'shift_jis', 'gb18030']) {
      const page = `<meta charset="${label}">${text}`;
      expect(decodeText(Buffer.from(page), 'text/html')).toBe(page);
      expect(decodeText(Buffer.from(text), `text/html; charset=${label}`)).toBe(text);
    }
    // The escape sequences of ISO-2022-JP are ASCII, so they are no characters in UTF-8.
    expect(decodeText(Buffer.from('\x1b$B$3\x1b(B'), 'text/html; charset=iso-2022-jp')).toBe('こ');
    expect(decodeText(Buffer.from('Grüße', 'utf16le'), 'text/html; charset=utf-16le')).toBe('Grüße');
  });

  it('is decoded even where the declaration is wrong or unknown', () => {
    expect(decodeText(Buffer.from('Grüße', 'latin1'), 'text/html; charset=utf-8')).toBe('Gr\uFFFD\uFFFDe');
    expect(decodeText(Buffer.from('Grüße'), 'text/html; charset=martian')).toBe('Grüße');
    expect(decodeText(Buffer.from('<meta charset=martian>Grüße'), '')).toBe('<meta charset=martian>Grüße');
    expect(decodeText(Buffer.from('Grüße'), 'text/html; charset=x-user-defined')).toBe('Grüße');
    expect(decodeText(Buffer.from('plain'), 'text/html; charset=utf-7')).toBe('plain');
    expect(decodeText(Buffer.from('plain'), 'text/html; charset=iso-2022-kr')).toBe('plain');
  });
});

describe('text without a declared encoding', () => {
  it.each([
    ['utf-8', RUSSIAN],
    ['utf-8', JAPANESE],
    ['windows-1251', RUSSIAN],
    ['koi8-r', RUSSIAN],
    ['iso-8859-1', GERMAN],
    ['shift_jis', JAPANESE.repeat(3)],
    ['euc-jp', JAPANESE.repeat(3)],
    ['gb18030', CHINESE.repeat(3)],
  ])('is recognised as %s', (label, text) => {
    expect(decodeText(label === 'utf-8' ? Buffer.from(text) : encode(text, label), 'text/html')).toBe(text);
  });

  it('may be empty or a single byte', () => {
    expect(decodeText(new Uint8Array(), '')).toBe('');
    expect(decodeText(Uint8Array.of(0xe9), '')).toBe('é');
  });

  it('is read from its part of a larger buffer only', () => {
    const pool = Buffer.from('before Grüße after');
    expect(decodeText(pool.subarray(7, 14), '')).toBe('Grüße');
  });
});
