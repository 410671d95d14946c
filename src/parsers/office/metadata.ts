import { Parser } from 'htmlparser2';
import type { ZipArchive } from '../zip.ts';

/** Metadata of a document. Empty entries are absent. */
export interface OfficeMetadata {
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

const MAX_PART_BYTES = 1024 * 1024;
const MAX_VALUE_LENGTH = 2000;
const PARTS = ['docProps/core.xml', 'meta.xml'];

/** Elements of the core properties (ECMA-376-2, 8.3) and of OpenDocument's metadata (part 3, 4.3), by property. */
const ELEMENTS: Record<keyof OfficeMetadata, string[]> = {
  title: ['dc:title'],
  author: ['meta:initial-creator', 'dc:creator'],
  subject: ['dc:subject'],
  keywords: ['cp:keywords', 'meta:keyword'],
  language: ['dc:language'],
  publishedTime: ['dcterms:created', 'meta:creation-date'],
  modifiedTime: ['dcterms:modified', 'dc:date'],
};

/** Reads the metadata of a docx or odt file. */
export function readMetadata(archive: ZipArchive): OfficeMetadata {
  const values = new Map<string, string>();
  for (const part of PARTS) {
    const xml = archive.read(part, MAX_PART_BYTES);
    if (xml) readValues(xml.toString('utf8'), values);
  }
  const metadata: OfficeMetadata = {};
  for (const [property, elements] of Object.entries(ELEMENTS) as [keyof OfficeMetadata, string[]][]) {
    const text = elements.map((element) => values.get(element)?.trim()).find(Boolean);
    const value = text && property.endsWith('Time') ? toIsoDate(text) : text;
    if (value) metadata[property] = value.slice(0, MAX_VALUE_LENGTH);
  }
  return metadata;
}

function readValues(xml: string, values: Map<string, string>): void {
  let element = '';
  const parser = new Parser(
    {
      onopentag: (name) => {
        element = name;
      },
      ontext: (text) => values.set(element, `${values.get(element) ?? ''}${text}`),
      onclosetag: () => {
        element = '';
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
}

/** Times without a zone, which OpenDocument uses, are taken as UTC. */
function toIsoDate(text: string): string | undefined {
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/.test(text);
  const date = new Date(hasZone || !text.includes('T') ? text : `${text.slice(0, 23)}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
