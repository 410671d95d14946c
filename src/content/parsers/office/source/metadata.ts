import { Parser } from 'htmlparser2';
import type { DocumentMetadata } from '../../document.ts';
import type { ZipArchive } from '../../zip.ts';

const MAX_PART_BYTES = 1024 * 1024;
const MAX_VALUE_LENGTH = 2000;

type Elements = Partial<Record<keyof DocumentMetadata, string[]>>;

/**
 * The element or elements of each property, the best one first: core properties of Office Open XML
 * (ECMA-376-2, 8.3).
 */
const CORE_PROPERTIES: Elements = {
  title: ['dc:title'],
  author: ['dc:creator'],
  subject: ['dc:subject'],
  keywords: ['cp:keywords'],
  language: ['dc:language'],
  publishedTime: ['dcterms:created'],
  modifiedTime: ['dcterms:modified'],
};
/** The same in OpenDocument (part 3, 4.3), where `dc:creator` is who changed the document last. */
const OPEN_DOCUMENT: Elements = {
  ...CORE_PROPERTIES,
  author: ['meta:initial-creator', 'dc:creator'],
  keywords: ['meta:keyword'],
  publishedTime: ['meta:creation-date'],
  modifiedTime: ['dc:date'],
};
/** The same in EPUB 2 and 3. */
const PACKAGE: Elements = {
  ...CORE_PROPERTIES,
  subject: ['dc:description'],
  keywords: ['dc:subject'],
  publishedTime: ['dc:date'],
};
/** The part of an EPUB that names the part with the metadata. */
const CONTAINER = 'META-INF/container.xml';

/**
 * Reads the metadata of a document that is a zip archive. Parts that are damaged or too large are skipped.
 */
export function readMetadata(archive: ZipArchive): DocumentMetadata {
  const packagePart = /\bfull-path="([^"]+)"/.exec(readPart(archive, CONTAINER))?.[1];
  return {
    ...(packagePart && propertiesOf(readPart(archive, packagePart), PACKAGE)),
    ...propertiesOf(readPart(archive, 'docProps/core.xml'), CORE_PROPERTIES),
    ...propertiesOf(readPart(archive, 'meta.xml'), OPEN_DOCUMENT),
  };
}

function readPart(archive: ZipArchive, name: string): string {
  try {
    return archive.read(name, MAX_PART_BYTES)?.toString('utf8') ?? '';
  } catch {
    // Metadata is not worth failing for; damage to the content is reported by its own reader.
    return '';
  }
}

function propertiesOf(xml: string, elements: Elements): DocumentMetadata {
  if (xml === '') return {};
  const values = readValues(xml);
  const metadata: DocumentMetadata = {};
  // The keys of an object literal are those of its type.
  for (const [property, names] of Object.entries(elements) as [keyof DocumentMetadata, string[]][]) {
    const texts = names.map((name) => values.get(name) ?? []).find(({ length }) => length > 0) ?? [];
    const isList = property === 'author' || property === 'keywords';
    const text = (isList ? texts.join(', ') : (texts[0] ?? '')).slice(0, MAX_VALUE_LENGTH);
    const value = property.endsWith('Time') ? toIsoDate(text) : text;
    if (value) metadata[property] = value;
  }
  return metadata;
}

/**
 * The texts of all elements by their names. A `meta` of EPUB counts as an element with the name of its
 * property.
 */
function readValues(xml: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  let element = '';
  let text = '';
  const parser = new Parser(
    {
      onopentag: (name, { property }) => {
        element = property && /(?:^|:)meta$/.test(name) ? property : name;
        text = '';
      },
      ontext: (part) => {
        text += part;
      },
      onclosetag: () => {
        if (element && text.trim()) values.set(element, [...(values.get(element) ?? []), text.trim()]);
        element = '';
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return values;
}

/** Times without a zone, which OpenDocument uses, are taken as UTC. */
function toIsoDate(text: string): string | undefined {
  if (text === '') return undefined;
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/.test(text);
  const date = new Date(hasZone || !text.includes('T') ? text : `${text.slice(0, 23)}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
