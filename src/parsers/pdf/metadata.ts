/** What the information dictionary of a document says (ISO 32000-1, 14.3.3). */
export interface PdfMetadata {
  title?: string;
  author?: string;
  subject?: string;
  keywords?: string;
  language?: string;
  /** ISO 8601. */
  publishedTime?: string;
  /** ISO 8601. */
  modifiedTime?: string;
}

const PDF_DATE = /^D?:?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([Z+-])(\d\d)?'?(\d\d)?)?/;

/** Converts a date of PDF (ISO 32000-1, 7.9.4) to ISO 8601; undefined when it is none. */
export function toIsoDate(date: string | undefined): string | undefined {
  const [
    ,
    year,
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    sign,
    zoneHour = '00',
    zoneMinute = '00',
  ] = PDF_DATE.exec(date ?? '') ?? [];
  if (!year) return undefined;
  const zone = sign && sign !== 'Z' ? `${sign}${zoneHour}:${zoneMinute}` : 'Z';
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** Titles that programs write on their own. */
const NO_TITLE =
  /^(untitled|document\d*|microsoft (word|powerpoint) - .*|.*\.(docx?|indd|pptx?|xlsx?|qxd|tex|dvi|pdf))$/i;

export interface InfoDictionary {
  Title?: unknown;
  Author?: unknown;
  Subject?: unknown;
  Keywords?: unknown;
  CreationDate?: unknown;
  ModDate?: unknown;
  Language?: unknown;
}

/** Takes from an information dictionary what a reader wants to know. */
export function toMetadata(info: InfoDictionary): PdfMetadata {
  const text = (value: unknown) =>
    (typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : '') || undefined;
  const title = text(info.Title);
  const all: Record<keyof PdfMetadata, string | undefined> = {
    title: title && !NO_TITLE.test(title) ? title : undefined,
    author: text(info.Author),
    subject: text(info.Subject),
    keywords: text(info.Keywords),
    language: text(info.Language),
    publishedTime: toIsoDate(text(info.CreationDate)),
    modifiedTime: toIsoDate(text(info.ModDate)),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value));
}
