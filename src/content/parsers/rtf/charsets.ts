/** Encodings by the values of `\fcharset`. */
const BY_CHARSET: Record<number, string> = {
  77: 'macintosh',
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gbk',
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
};
/** Encodings by code page, where their names are not `windows-` and the code page. */
const BY_CODE_PAGE: Record<number, string> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  65001: 'utf-8',
};

/** The encoding of a `\fcharset` of a font; `undefined` for one that names none. */
export const encodingOfCharset = (charset: number): string | undefined => BY_CHARSET[charset];

/** @returns the encoding of a code page, or windows-1252 for one that is not known */
export function encodingOfCodePage(codePage: number): string {
  const name = BY_CODE_PAGE[codePage] ?? `windows-${codePage}`;
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return 'windows-1252';
  }
}
