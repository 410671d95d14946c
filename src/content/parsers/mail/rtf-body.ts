import { DocumentError } from '../document-error.ts';
import { convertOffice } from '../office/index.ts';
import { rtfToUnicode } from '../rtf/to-unicode.ts';
import { expandRtf } from './compressed-rtf.ts';
import { containsHtml, extractHtml } from './encapsulated-html.ts';
import type { Mail } from './mail.ts';

const DAMAGED = 'The formatted text of a mail is damaged, and is missing.';

/**
 * Gives mails whose text is only in RTF, or formatted only there, that text as HTML, the attached mails as
 * well.
 * @returns warnings about texts that cannot be read
 */
export async function convertRtfBodies(mail: Mail): Promise<string[]> {
  const warnings: string[] = [];
  if (mail.html === undefined && mail.rtf) {
    const html = await toHtml(mail.rtf);
    if (html !== undefined) mail.html = html;
    else if (!mail.text) warnings.push(DAMAGED);
  }
  for (const { mail: inner } of mail.attachments)
    if (inner) warnings.push(...(await convertRtfBodies(inner)));
  return warnings;
}

/** @returns undefined if the text cannot be read, or if it is empty */
async function toHtml(body: Uint8Array): Promise<string | undefined> {
  try {
    const rtf = expandRtf(body);
    const html = containsHtml(rtf)
      ? extractHtml(Buffer.from(rtfToUnicode(rtf).bytes))
      : (await convertOffice({ type: 'rtf', images: false }, rtf)).html;
    return html.trim() === '' ? undefined : html;
  } catch (error) {
    if (error instanceof RangeError || error instanceof DocumentError) return undefined;
    throw error;
  }
}
