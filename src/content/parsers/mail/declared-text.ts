import { isAscii, isUtf8 } from 'node:buffer';
import { toBuffer } from '../../source-text.ts';
import { encodingOfMark } from '../byte-order-mark.ts';
import { createDecoder, decodeBytes, knownEncodingOfCodePage } from '../charsets/code-pages.ts';
import { detectEncoding, utf16WithoutMark } from '../charsets/detect-encoding.ts';

/** Parts nested deeper than this stay as they are; the parser of mails refuses them. */
const MAX_DEPTH = 60;
/** Bytes of undeclared text from which the encoding of the mail is detected. */
const DETECTED_BYTES = 64 * 1024;
/** Labels that programs write for text whose encoding they do not know, or that is not what they say. */
const VAGUE_LABELS =
  /^(?:us-ascii|ascii|ansi_x3\.4-1968|unknown-8bit|x-unknown|unknown|default|none|binary|8bit|utf-?8)$/i;

/** A mail whose texts all declare their encodings, and whose header is UTF-8. */
export interface DeclaredMail {
  bytes: Uint8Array;
  /** The encoding of undeclared text, if that was a guess. */
  guessedEncoding?: string;
}

/**
 * Writes a mail so that all its texts are UTF-8 where they do not say how they are encoded, say it wrongly,
 * or name an encoding that only some programs know: the parser of mails reads such text as UTF-8, which
 * destroys its characters.
 */
export function declareCharsets(file: Uint8Array): DeclaredMail {
  const utf16 = encodingOfMark(file) ?? utf16WithoutMark(file);
  const isUtf16 = utf16 === 'utf-16le' || utf16 === 'utf-16be';
  const bytes = isUtf16 ? Buffer.from(decodeBytes(file, utf16)) : file;
  const text = toBuffer(bytes).toString('latin1');
  const reader = new CharsetWriter(isUtf16);
  const written = reader.part(text, 0);
  if (reader.undeclared.length === 0) return { bytes: toBytes(written) };
  const { encoding, isCertain } = detectEncoding(Buffer.concat(reader.undeclared));
  return {
    bytes: toBytes(new CharsetWriter(isUtf16, encoding).part(text, 0)),
    ...(!isCertain && { guessedEncoding: encoding }),
  };
}

/** Texts have one character for each byte here. */
const toBytes = (text: string) => Buffer.from(text, 'latin1');

class CharsetWriter {
  /** Texts beyond ASCII that are not UTF-8, and do not say what they are. */
  readonly undeclared: Buffer[] = [];
  #undeclaredBytes = 0;
  readonly #wasUtf16: boolean;
  readonly #detected: string;

  /**
   * @param wasUtf16 whether the whole file was UTF-16, so that what it declares is wrong
   * @param detected the encoding of undeclared text
   */
  constructor(wasUtf16: boolean, detected = 'windows-1252') {
    this.#wasUtf16 = wasUtf16;
    this.#detected = detected;
  }

  /** Writes a part of a mail, or the mail itself. */
  part(text: string, depth: number): string {
    const separator = /\r?\n\r?\n/.exec(text);
    const isHeaderless = /^\r?\n/.test(text);
    const end = isHeaderless ? 0 : (separator?.index ?? text.length);
    const gap = isHeaderless ? '' : (separator?.[0] ?? '');
    const header = text.slice(0, end);
    const body = text.slice(end + gap.length);
    const type = field(header, 'content-type');
    const boundary = /^\s*multipart\//i.test(type) ? parameter(type, 'boundary') : undefined;
    const written = this.#header(header, parameter(type, 'charset'));
    if (boundary !== undefined && depth < MAX_DEPTH)
      return `${written}${gap}${this.#parts(body, boundary, depth)}`;
    const isText = (type.trim() === '' || /^\s*text\//i.test(type)) && end > 0;
    const isAttached = /^\s*attachment/i.test(field(header, 'content-disposition'));
    const decoded = isText && !isAttached ? this.#text(header, body, type) : undefined;
    return decoded === undefined ? `${written}${gap}${body}` : inBase64(written, type, decoded);
  }

  #parts(body: string, boundary: string, depth: number): string {
    const delimiter = `--${boundary}`;
    let written = '';
    let copiedTo = 0;
    for (let at = body.indexOf(delimiter); at !== -1; ) {
      const lineEnd = body.indexOf('\n', at);
      const isDelimiter = at === 0 || body[at - 1] === '\n';
      const isLast = body.startsWith('--', at + delimiter.length);
      if (lineEnd === -1 || (isDelimiter && isLast)) break;
      const next = nextDelimiter(body, delimiter, lineEnd);
      if (isDelimiter) {
        const end = next === -1 ? body.length : next;
        written += body.slice(copiedTo, lineEnd + 1) + this.part(body.slice(lineEnd + 1, end), depth + 1);
        copiedTo = end;
      }
      at = next;
    }
    return written + body.slice(copiedTo);
  }

  #header(header: string, charset: string | undefined): string {
    if (!/[\x80-\xff]/.test(header) || isUtf8(toBytes(header))) return header;
    const bytes = toBytes(header);
    const declared = charset && !VAGUE_LABELS.test(charset) ? knownEncoding(charset) : undefined;
    if (!declared) this.#collect(bytes);
    return Buffer.from(decodeBytes(bytes, declared ?? this.#detected)).toString('latin1');
  }

  /** @returns the text of a part that has to be written anew */
  #text(header: string, body: string, type: string): string | undefined {
    const transfer = field(header, 'content-transfer-encoding').trim().toLowerCase();
    const bytes = transferDecoded(body, transfer);
    const charset = parameter(type, 'charset');
    const isEncoded = transfer === 'base64' || transfer === 'quoted-printable';
    if (this.#wasUtf16 && !isEncoded) return charset ? bytes.toString() : undefined;
    if (isAscii(bytes) && (!charset || createDecoder(charset))) return undefined;
    if (charset && !VAGUE_LABELS.test(charset)) {
      const encoding = knownEncoding(charset);
      if (encoding) return createDecoder(charset) ? undefined : decodeBytes(bytes, encoding);
    }
    if (isUtf8(bytes)) return charset && !/^utf-?8$/i.test(charset) ? bytes.toString() : undefined;
    this.#collect(bytes);
    return decodeBytes(bytes, this.#detected);
  }

  #collect(bytes: Buffer): void {
    if (this.#undeclaredBytes > DETECTED_BYTES) return;
    this.undeclared.push(bytes, Buffer.from('\n'));
    this.#undeclaredBytes += bytes.length;
  }
}

/** The place of the next line that begins with a delimiter. */
function nextDelimiter(body: string, delimiter: string, from: number): number {
  const at = body.indexOf(`\n${delimiter}`, from);
  return at === -1 ? -1 : at + 1;
}

/** The value of a field of a header, without its line breaks; empty without one. */
function field(header: string, name: string): string {
  for (const line of header.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (line.slice(0, colon).trim().toLowerCase() === name) return line.slice(colon + 1);
  }
  return '';
}

const PARAMETERS = {
  boundary: /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;]+))/i,
  charset: /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]+))/i,
};

/** @returns undefined if the field does not have the parameter */
const parameter = (value: string, name: keyof typeof PARAMETERS): string | undefined =>
  PARAMETERS[name].exec(value)?.slice(1).find(Boolean)?.trim();

/** The encoding of a label, also of one that names a code page; undefined if nothing here knows it. */
function knownEncoding(label: string): string | undefined {
  if (createDecoder(label)) return label;
  if (/utf-?7$/i.test(label)) return 'utf-7';
  const codePage = /^(?:cp|ibm|ms|windows|x-cp)?-?(\d{3,5})$/i.exec(label)?.[1];
  return codePage ? knownEncodingOfCodePage(Number(codePage)) : undefined;
}

function transferDecoded(body: string, transfer: string): Buffer {
  if (transfer === 'base64') return Buffer.from(body, 'base64');
  if (transfer !== 'quoted-printable') return toBytes(body);
  const text = body
    .replace(/[ \t]*=[ \t]*\r?\n/g, '')
    .replace(/=([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  return toBytes(text);
}

/** A part whose text is written as UTF-8 in base64. */
function inBase64(header: string, type: string, text: string): string {
  const fields = header
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
    .filter((line) => !/^(?:content-type|content-transfer-encoding)\s*:/i.test(line));
  const kind = (type.trim() || 'text/plain').replace(/;\s*charset\s*=\s*(?:"[^"]*"|[^\s;]+)/i, '');
  const lines = Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\r\n');
  return [
    ...fields,
    `Content-Type: ${kind}; charset=utf-8`,
    'Content-Transfer-Encoding: base64',
    '',
    `${lines}\r\n`,
  ].join('\r\n');
}
