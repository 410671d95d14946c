import { createRequire } from 'node:module';
import type * as MsgReaderPackage from '@kenjiuno/msgreader';
import { toBuffer } from '../../source-text.ts';
import { decodeBytes, knownEncodingOfCodePage } from '../charsets/code-pages.ts';
import { decodeText } from '../charsets/decode-text.ts';
import { type DetectedEncoding, detectEncoding } from '../charsets/detect-encoding.ts';
import { CompoundFile, isCompoundFile } from '../compound-file.ts';
import { DocumentError } from '../document-error.ts';
import { type Address, type Attachment, MAX_ATTACHMENTS, MAX_DEPTH, type Mail } from './mail.ts';

// Node and Vitest unwrap the default export of this CommonJS module differently; `require` gives the module
// itself.
const { default: MsgReader } = createRequire(import.meta.url)(
  '@kenjiuno/msgreader',
) as typeof MsgReaderPackage.default;
type FieldsData = MsgReaderPackage.FieldsData;

/** The lower half of the tag of a text that is not Unicode (PtypString8, MS-OXCDATA 2.11.1). */
const STRING8 = 0x001e;
/** The encoding of most texts that are not Unicode. A mail whose texts have another one is parsed once more. */
const USUAL_ENCODING = 'windows-1252';
const DAMAGED = 'The mail is damaged, and nothing of it can be read.';

/**
 * Reads a mail of Outlook (MS-OXMSG).
 * @throws DocumentError if the file is damaged
 */
export function readMsg(bytes: Uint8Array): Mail {
  try {
    if (!isSound(toBuffer(bytes))) throw new DocumentError('damaged', DAMAGED);
    const first = parse(bytes, USUAL_ENCODING);
    const { encoding, isCertain } = ansiEncoding(first);
    const { reader, fields } =
      first.texts.length === 0 || encoding === USUAL_ENCODING ? first : parse(bytes, encoding);
    return { ...toMail(reader, fields, 0), ...(!isCertain && { guessedEncoding: encoding }) };
  } catch (cause) {
    // The package throws TypeErrors for damaged files.
    throw cause instanceof DocumentError ? cause : new DocumentError('damaged', DAMAGED, { cause });
  }
}

/** Whether a file has no cycles: the reader of the package follows chains of sectors without end. */
function isSound(bytes: Buffer): boolean {
  try {
    return isCompoundFile(bytes) && !new CompoundFile(bytes).hasCycles;
  } catch (error) {
    // The directory is not where the header says.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

type Reader = InstanceType<typeof MsgReader>;

/** A mail that was parsed. */
interface ParsedMsg {
  reader: Reader;
  fields: FieldsData;
  /** The bytes of its texts that are not Unicode; hardly any mail has some. */
  texts: Uint8Array[];
}

/** @param encoding of texts that are not Unicode @throws DocumentError if the file is damaged */
function parse(bytes: Uint8Array, encoding: string): ParsedMsg {
  const texts: Uint8Array[] = [];
  const reader = new MsgReader(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  reader.parserConfig = {
    ansiEncoding: encoding,
    propertyObserver: (_, tag, raw) => {
      if ((tag & 0xffff) === STRING8 && raw) texts.push(raw, Buffer.from('\n'));
    },
  };
  const fields = reader.getFileData();
  if (fields.error) throw new DocumentError('damaged', `The mail cannot be read: ${fields.error}`);
  return { reader, fields, texts };
}

/**
 * The encoding of texts that are not Unicode: that of the code page which the mail names
 * (PidTagMessageCodepage), else it is detected.
 */
function ansiEncoding({ fields: { messageCodepage }, texts }: ParsedMsg): DetectedEncoding {
  const named = messageCodepage === undefined ? undefined : knownEncodingOfCodePage(messageCodepage);
  if (named) return { encoding: named, isCertain: true };
  // Each text ends with a zero.
  return detectEncoding(Buffer.concat(texts).filter((byte) => byte !== 0));
}

function toMail(reader: Reader, fields: FieldsData, depth: number): Mail {
  const {
    subject = '',
    senderName = '',
    messageDeliveryTime,
    clientSubmitTime,
    body,
    compressedRtf,
  } = fields;
  const sender = fields.senderSmtpAddress ?? fields.senderEmail ?? '';
  const recipients = (type: string) =>
    (fields.recipients ?? []).filter(({ recipType = 'to' }) => recipType === type).map(toAddress);
  const date = toIsoDate(clientSubmitTime ?? messageDeliveryTime);
  const html = fields.bodyHtml ?? (fields.html && decodeHtml(fields.html, fields.internetCodepage));
  return {
    subject,
    ...((senderName || sender) && { from: { name: senderName, address: sender } }),
    to: recipients('to'),
    cc: recipients('cc'),
    ...(date && { date }),
    ...(html && { html }),
    ...(compressedRtf && { rtf: compressedRtf }),
    ...(body && { text: body }),
    attachments: (fields.attachments ?? [])
      .slice(0, MAX_ATTACHMENTS)
      .map((attachment) => toAttachment(reader, attachment, depth)),
  };
}

const toAddress = ({ name = '', smtpAddress, email = '' }: FieldsData): Address => ({
  name,
  address: smtpAddress ?? email,
});

function toAttachment(reader: Reader, fields: FieldsData, depth: number): Attachment {
  const { fileName, fileNameShort, name = '', attachMimeTag = '', pidContentId } = fields;
  const inner = fields.innerMsgContentFields;
  return {
    name: fileName ?? fileNameShort ?? name,
    mediaType: inner ? 'application/vnd.ms-outlook' : attachMimeTag.toLowerCase(),
    bytes: inner ? new Uint8Array() : reader.getAttachment(fields).content,
    ...(pidContentId && { contentId: pidContentId }),
    ...(inner && depth < MAX_DEPTH && { mail: toMail(reader, inner, depth + 1) }),
  };
}

function decodeHtml(bytes: Uint8Array, codePage = 0): string {
  const encoding = knownEncodingOfCodePage(codePage);
  return encoding && encoding !== 'utf-8' ? decodeBytes(bytes, encoding) : decodeText(bytes, 'text/html');
}

function toIsoDate(text: string | undefined): string | undefined {
  const date = new Date(text ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}
