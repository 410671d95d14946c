import { oneLine } from '../../../html/text.ts';
import type { DocumentMetadata } from '../../document.ts';

const PDF_DATE = /^D?:?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([Z+-])(\d\d)?'?(\d\d)?)?/;

/** Converts a PDF date (ISO 32000-1, 7.9.4) to ISO 8601 in UTC; undefined if it is invalid. */
function toIsoDate(date: string | undefined): string | undefined {
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

/** Titles that programs generate if the author sets none. */
const GENERATED_TITLE =
  /^(untitled|document\d*|microsoft (word|powerpoint) - .*|.*\.(docx?|indd|pptx?|xlsx?|qxd|tex|dvi|pdf))$/i;

/** What ReportLab, a library that many programs write PDFs with, enters for what its user leaves out. */
const PLACEHOLDER = /^\(?(?:anonymous|unspecified)\)?$/;

/** The entries as read from a file, before validation. */
export interface InfoDictionary {
  Title?: unknown;
  Author?: unknown;
  Subject?: unknown;
  Keywords?: unknown;
  CreationDate?: unknown;
  ModDate?: unknown;
  Language?: unknown;
}

/** Validates the entries of an information dictionary. Generated entries and invalid dates are dropped. */
export function toMetadata(info: InfoDictionary): DocumentMetadata {
  const text = (value: unknown) => {
    const line = typeof value === 'string' ? oneLine(value) : '';
    return PLACEHOLDER.test(line) ? undefined : line || undefined;
  };
  const title = text(info.Title);
  const all: Record<keyof DocumentMetadata, string | undefined> = {
    title: title && !GENERATED_TITLE.test(title) ? title : undefined,
    author: text(info.Author),
    subject: text(info.Subject),
    keywords: text(info.Keywords),
    language: text(info.Language),
    publishedTime: toIsoDate(text(info.CreationDate)),
    modifiedTime: toIsoDate(text(info.ModDate)),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value));
}
