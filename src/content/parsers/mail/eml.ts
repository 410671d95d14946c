import PostalMime, { type Address as ParsedAddress, type Attachment as ParsedAttachment } from 'postal-mime';
import { DocumentError } from '../document-error.ts';
import { declareCharsets } from './declared-text.ts';
import { type Address, type Attachment, MAX_ATTACHMENTS, MAX_DEPTH, type Mail } from './mail.ts';

/**
 * Reads a mail in the Internet Message Format (RFC 5322) with MIME.
 * @throws DocumentError if its parts are nested too deeply or its headers are too long
 */
export async function readEml(bytes: Uint8Array, depth = 0): Promise<Mail> {
  const { bytes: declared, guessedEncoding } = declareCharsets(bytes);
  const email = await PostalMime.parse(declared, { forceRfc822Attachments: true }).catch((cause: Error) => {
    throw new DocumentError('too-large', `The mail cannot be read: ${cause.message}`, { cause });
  });
  const attachments: Attachment[] = [];
  for (const attachment of email.attachments.slice(0, MAX_ATTACHMENTS))
    attachments.push(await toAttachment(attachment, depth));
  const [from] = email.from ? toAddresses([email.from]) : [];
  return {
    subject: email.subject ?? '',
    ...(from && { from }),
    to: toAddresses(email.to),
    cc: toAddresses(email.cc),
    ...(email.date && { date: email.date }),
    ...(email.html && { html: email.html }),
    ...(email.text && { text: email.text }),
    attachments,
    ...(guessedEncoding && { guessedEncoding }),
  };
}

const toAddresses = (addresses: ParsedAddress[] = []): Address[] =>
  addresses.flatMap(({ name, address, group }) => group ?? [{ name, address: address ?? '' }]);

async function toAttachment(
  { filename, mimeType, contentId, content }: ParsedAttachment,
  depth: number,
): Promise<Attachment> {
  // Without the option `attachmentEncoding` the content is never a string.
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
  const isMail = mimeType === 'message/rfc822' && depth < MAX_DEPTH;
  return {
    name: filename ?? '',
    mediaType: mimeType,
    bytes,
    ...(contentId && { contentId: contentId.replace(/^<|>$/g, '') }),
    ...(isMail && { mail: await readEml(bytes, depth + 1) }),
  };
}
