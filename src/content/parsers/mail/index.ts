import { toBuffer } from '../../source-text.ts';
import { isCompoundFile } from '../compound-file.ts';
import type { ConvertedDocument, DocumentTask } from '../document.ts';
import { DocumentError } from '../document-error.ts';
import { foreignError, textStart } from '../foreign-file.ts';
import { readEml } from './eml.ts';
import { readMsg } from './msg.ts';
import { convertRtfBodies } from './rtf-body.ts';
import { MailWriter } from './to-html.ts';

/** How to convert a mail. */
export interface MailTask extends Pick<DocumentTask, 'images'> {
  type: 'eml' | 'msg';
}

/**
 * Converts a mail to HTML: the subject as heading, sender, recipients and date, the body, and the
 * attachments.
 * @throws DocumentError if the mail is damaged, empty or exceeds a limit
 */
export async function convertMail({ type, images }: MailTask, bytes: Uint8Array): Promise<ConvertedDocument> {
  const mail = isOutlook(type, bytes) ? readMsg(bytes) : await readEml(bytes);
  const bodyWarnings = await convertRtfBodies(mail);
  const writer = new MailWriter({ images });
  const html = writer.write(mail);
  if (html === '') throw new DocumentError('damaged', 'The mail has neither a header nor a body.');
  const { subject, from, date } = mail;
  const author = from?.name || from?.address;
  const isDate = date !== undefined && !Number.isNaN(Date.parse(date));
  return {
    html,
    metadata: {
      ...(subject && { title: subject }),
      ...(author && { author }),
      ...(isDate && { publishedTime: date }),
    },
    images: writer.images,
    warnings: [...bodyWarnings, ...writer.warnings],
  };
}

/**
 * Whether a mail is one of Outlook: text is a mail of another program, whatever its name is.
 * @throws DocumentError if it is neither
 */
function isOutlook(type: MailTask['type'], bytes: Uint8Array): boolean {
  if (type !== 'msg') return false;
  if (isCompoundFile(toBuffer(bytes))) return true;
  if (!/^[\w-]+:/.test(textStart(bytes) ?? '')) throw foreignError(type, bytes);
  return false;
}
