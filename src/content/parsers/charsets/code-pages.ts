import { createRequire } from 'node:module';
import { toBuffer } from '../../source-text.ts';

/** Encodings by the values of `\fcharset` (RTF 1.9.1, "Font Table"). Those of Macintosh begin at 77. */
const BY_CHARSET: Record<number, string> = {
  77: 'macintosh',
  78: 'shift_jis',
  79: 'euc-kr',
  80: 'gb18030',
  81: 'big5',
  83: 'windows-1255',
  84: 'iso-8859-6',
  85: 'macgreek',
  86: 'macturkish',
  87: 'macthai',
  88: 'maccenteuro',
  89: 'x-mac-cyrillic',
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gb18030',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
  254: 'cp437',
};
/** Encodings by code page, where their names are not `windows-` and the code page. */
const BY_CODE_PAGE: Record<number, string> = {
  437: 'cp437',
  737: 'cp737',
  775: 'cp775',
  850: 'cp850',
  852: 'cp852',
  855: 'cp855',
  857: 'cp857',
  858: 'cp858',
  860: 'cp860',
  861: 'cp861',
  862: 'cp862',
  863: 'cp863',
  864: 'cp864',
  865: 'cp865',
  866: 'ibm866',
  869: 'cp869',
  932: 'shift_jis',
  936: 'gb18030',
  949: 'euc-kr',
  950: 'big5',
  1200: 'utf-16le',
  1201: 'utf-16be',
  10000: 'macintosh',
  10001: 'shift_jis',
  10002: 'big5',
  10003: 'euc-kr',
  10004: 'iso-8859-6',
  10005: 'windows-1255',
  10006: 'macgreek',
  10007: 'x-mac-cyrillic',
  10008: 'gb18030',
  10010: 'macromania',
  10017: 'macukraine',
  10021: 'macthai',
  10029: 'maccenteuro',
  10079: 'maciceland',
  10081: 'macturkish',
  10082: 'maccroatian',
  20127: 'windows-1252',
  20866: 'koi8-r',
  20932: 'euc-jp',
  20936: 'gb18030',
  20949: 'euc-kr',
  21866: 'koi8-u',
  28591: 'iso-8859-1',
  28592: 'iso-8859-2',
  28593: 'iso-8859-3',
  28594: 'iso-8859-4',
  28595: 'iso-8859-5',
  28596: 'iso-8859-6',
  28597: 'iso-8859-7',
  28598: 'iso-8859-8',
  28599: 'windows-1254',
  28603: 'iso-8859-13',
  28605: 'iso-8859-15',
  38598: 'iso-8859-8-i',
  50220: 'iso-2022-jp',
  50221: 'iso-2022-jp',
  50222: 'iso-2022-jp',
  51932: 'euc-jp',
  51936: 'gb18030',
  51949: 'euc-kr',
  52936: 'gb18030',
  54936: 'gb18030',
  65001: 'utf-8',
};

/** The encoding of a `\fcharset` of a font; `undefined` for one that names none. */
export const encodingOfCharset = (charset: number): string | undefined => BY_CHARSET[charset];

/**
 * @returns the encoding of a code page of Windows, DOS or Macintosh, or windows-1252 for one that is not
 *   known
 */
export const encodingOfCodePage = (codePage: number): string =>
  knownEncodingOfCodePage(codePage) ?? 'windows-1252';

/** @returns the encoding of a code page; `undefined` for one that is not known */
export function knownEncodingOfCodePage(codePage: number): string | undefined {
  const name = BY_CODE_PAGE[codePage] ?? `windows-${codePage}`;
  return BY_CODE_PAGE[codePage] || createDecoder(name) ? name : undefined;
}

/** A decoder of the web platform; `undefined` for a label that it does not know. */
export function createDecoder(label: string, options?: { fatal: boolean }): TextDecoder | undefined {
  try {
    return new TextDecoder(label, options);
  } catch (error) {
    // A file may declare any label; only the constructor knows which are supported.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

type IconvLite = typeof import('iconv-lite');
let iconv: IconvLite | undefined;

/** Decodes bytes in an encoding of this module: one of the web platform, or one of DOS or Macintosh. */
export function decodeBytes(bytes: Uint8Array, encoding: string): string {
  const decoder = createDecoder(encoding);
  if (decoder) return decoder.decode(bytes);
  // Loaded only for such files, because its tables are large.
  iconv ??= createRequire(import.meta.url)('iconv-lite') as IconvLite;
  return iconv.encodingExists(encoding)
    ? iconv.decode(toBuffer(bytes), encoding)
    : new TextDecoder('windows-1252').decode(bytes);
}
