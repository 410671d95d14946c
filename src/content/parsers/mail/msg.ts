import { createRequire } from 'node:module';
import type * as MsgReaderPackage from '@kenjiuno/msgreader';
import { CompoundFile, isCompoundFile } from '../compound-file.ts';
import { DocumentError } from '../document-error.ts';
import { type Address, type Attachment, MAX_ATTACHMENTS, MAX_DEPTH, type Mail } from './mail.ts';

// Node and Vitest unwrap the default export of this CommonJS module differently; `require` gives the module
// itself.
const { default: MsgReader } = createRequire(import.meta.url)(
  '@kenjiuno/msgreader',
) as typeof MsgReaderPackage.default;
type FieldsData = MsgReaderPackage.FieldsData;

/** The code page that Outlook uses where a mail names none. */
const DEFAULT_CODE_PAGE = 1252;
const DAMAGED = 'The mail is damaged, and nothing of it can be read.';

/**
 * Reads a mail of Outlook (MS-OXMSG).
 * @throws DocumentError if the file is damaged
 */
export function readMsg(bytes: Uint8Array): Mail {
  const reader = openReader(bytes);
  try {
    const fields = reader.getFileData();
    if (fields.error) throw new DocumentError('damaged', `The mail cannot be read: ${fields.error}`);
    return toMail(reader, fields, 0);
  } catch (cause) {
    // The package throws TypeErrors for damaged files.
    throw cause instanceof DocumentError ? cause : new DocumentError('damaged', DAMAGED, { cause });
  }
}

/** The reader of the package follows chains of sectors without end, so that they are checked before. */
function openReader(bytes: Uint8Array) {
  if (!isSound(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)))
    throw new DocumentError('damaged', DAMAGED);
  return new MsgReader(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

function isSound(bytes: Buffer): boolean {
  try {
    return isCompoundFile(bytes) && !new CompoundFile(bytes).hasCycles;
  } catch (error) {
    // The directory is not where the header says.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

type Reader = ReturnType<typeof openReader>;

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
  const html = fields.bodyHtml ?? (fields.html && decode(fields.html, fields.internetCodepage));
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

function decode(bytes: Uint8Array, codePage = DEFAULT_CODE_PAGE): string {
  const label = codePage === 65001 ? 'utf-8' : `windows-${codePage}`;
  try {
    return new TextDecoder(label).decode(bytes);
  } catch (error) {
    // A code page that the decoder does not know.
    if (error instanceof RangeError) return new TextDecoder().decode(bytes);
    throw error;
  }
}

function toIsoDate(text: string | undefined): string | undefined {
  const date = new Date(text ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
}
