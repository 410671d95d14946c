import { escapeHtml } from '../../html/parse/escape-html.ts';
import { guessWarning } from '../charsets/detect-encoding.ts';
import type { DocumentImage } from '../document.ts';
import { paragraphs } from '../embedded-html.ts';
import { toImageType } from '../image-type.ts';
import { bodyHtml } from './body-html.ts';
import { type CalendarEvent, readCalendar } from './calendar.ts';
import { type Address, type Attachment, MAX_ATTACHMENTS, type Mail } from './mail.ts';

const MAX_HEADING_LEVEL = 6;
const CALENDAR = 'text/calendar';

/** Writes mails, and collects the images to which they refer. */
export class MailWriter {
  readonly images: DocumentImage[] = [];
  readonly warnings: string[] = [];
  readonly #wantsImages: boolean;

  /** @param options.images whether to collect images; otherwise their alternative texts take their places */
  constructor(options: { images: boolean }) {
    this.#wantsImages = options.images;
  }

  /** @param level level of the heading: 1 for the mail itself, 2 for a mail attached to it */
  write(mail: Mail, level = 1): string {
    const heading = `h${Math.min(level, MAX_HEADING_LEVEL)}`;
    if (mail.guessedEncoding) this.warnings.push(guessWarning(mail.guessedEncoding));
    if (mail.attachments.length >= MAX_ATTACHMENTS)
      this.warnings.push(`Only the first ${MAX_ATTACHMENTS} attachments of the mail were read.`);
    return [
      mail.subject && `<${heading}>${escapeHtml(mail.subject)}</${heading}>`,
      headerHtml(mail),
      bodyHtml(mail, this.#collectImages(mail.attachments)),
      ...eventsHtml(mail, level + 1),
      this.#attachments(mail.attachments, level + 1),
    ]
      .filter(Boolean)
      .join('\n');
  }

  /** @returns the numbers of the images by their Content-IDs */
  #collectImages(attachments: readonly Attachment[]): Map<string, string> {
    const ids = new Map<string, string>();
    if (!this.#wantsImages) return ids;
    for (const { contentId, mediaType, bytes } of attachments) {
      const type = toImageType(mediaType);
      if (!contentId || !type) continue;
      const id = String(this.images.length);
      this.images.push({ id, mediaType: type, bytes });
      ids.set(contentId, id);
    }
    return ids;
  }

  /**
   * Lists the files by name, then writes the attached mails. Images in the text of the mail, and calendars
   * without a name, are not files of their own.
   */
  #attachments(attachments: readonly Attachment[], level: number): string {
    const listed = attachments.filter(({ name, contentId, mediaType }) =>
      mediaType === CALENDAR ? name !== '' : !contentId || !mediaType.startsWith('image/'),
    );
    if (listed.length === 0) return '';
    const heading = `h${Math.min(level, MAX_HEADING_LEVEL)}`;
    const items = listed.map((attachment) => `<li>${escapeHtml(nameOf(attachment))}</li>`).join('\n');
    const mails = listed.map(({ mail }) => (mail ? this.write(mail, level) : ''));
    return [`<${heading}>Attachments</${heading}>\n<ul>${items}</ul>`, ...mails].filter(Boolean).join('\n');
  }
}

const nameOf = ({ name, mail, mediaType }: Attachment) =>
  name || mail?.subject || mediaType || 'file without a name';

/**
 * Writes the events of the calendars in a mail. Invitations have the same calendar twice, as text and as a
 * file.
 */
function eventsHtml({ attachments, text, html }: Mail, level: number): Set<string> {
  const body = lettersOf(text ?? html?.replace(/<[^<>]*>/g, '') ?? '');
  const events = attachments
    .filter(({ name, mediaType }) => mediaType === CALENDAR || name.endsWith('.ics'))
    .flatMap(({ bytes }) => readCalendar(bytes));
  return new Set(events.map((event) => eventHtml(event, body, level)));
}

function eventHtml(event: CalendarEvent, body: string, level: number): string {
  const { title, isCancelled, details, description = '' } = event;
  const heading = `h${Math.min(level, MAX_HEADING_LEVEL)}`;
  const name = `${title ?? 'Event'}${isCancelled ? ' (cancelled)' : ''}`;
  const parts = [`<${heading}>${escapeHtml(name)}</${heading}>`, fieldsHtml(details)];
  if (!body.includes(lettersOf(description))) parts.push(paragraphs(description));
  return parts.filter(Boolean).join('\n');
}

const lettersOf = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '');

const headerHtml = ({ from, to, cc, date }: Mail) =>
  fieldsHtml([
    ['From', from ? written(from) : ''],
    ['To', to.map(written).join(', ')],
    ['Cc', cc.map(written).join(', ')],
    ['Date', date ?? ''],
  ]);

function fieldsHtml(fields: readonly [string, string][]): string {
  const lines = fields
    .filter(([, value]) => value)
    .map(([name, value]) => `<strong>${name}:</strong> ${escapeHtml(value)}`);
  return lines.length === 0 ? '' : `<p>${lines.join('<br>\n')}</p>`;
}

function written({ name, address }: Address): string {
  if (!address || name === address) return name || address;
  return name ? `${name} <${address}>` : address;
}
