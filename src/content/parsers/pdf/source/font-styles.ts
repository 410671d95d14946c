import { compressedObjects, findCompressedObject } from './object-streams.ts';
import { type FontStyle, fontStyle } from './words.ts';

const REFERENCE = '/ToUnicode';
/** The dictionary of a font is expected within this number of bytes around its reference. */
const MAX_DICTIONARY_BYTES = 4096;
/** The most fonts of a file that are looked at. */
const MAX_FONTS = 2000;
/** The most descriptors of fonts that are searched for, each of which takes a search of the file. */
const MAX_DESCRIPTORS = 32;

/** The fonts that use one character map. */
export interface FontsOfMap {
  names: string[];
  /** Absent if fonts of several styles use the map. */
  style?: FontStyle;
  /** Whether one of the fonts has its name only in its descriptor, where PDFium does not look for it. */
  isNameless?: boolean;
}

/**
 * Finds the fonts of a file that have a character map, and tells their styles by their names.
 * @returns the fonts by the number and generation of their map, such as `12 0`
 */
export function fontsOfMaps(file: Buffer): ReadonlyMap<string, FontsOfMap> {
  const fonts = new Map<string, FontsOfMap>();
  const describedName = descriptorNames(file);
  let count = 0;
  for (const dictionary of fontDictionaries(file)) {
    if (++count > MAX_FONTS) break;
    const map = /\/ToUnicode\s*(\d+ \d+) R\b/.exec(dictionary)?.[1];
    if (!map) continue;
    const baseName = /\/BaseFont\s*\/([^\s/<>[\]()]+)/.exec(dictionary)?.[1];
    const name = baseName ?? describedName(dictionary);
    if (!name) continue;
    const encoding = /\/Encoding\s*\/([^\s/<>[\]()]+)/.exec(dictionary)?.[1];
    const own = withoutEncoding(fontName(name), encoding);
    const style = fontStyle(own);
    const { names, style: other, isNameless } = fonts.get(map) ?? { names: [], style };
    fonts.set(map, {
      names: [...names, own],
      ...(isSameStyle(other, style) && { style }),
      ...((isNameless || !baseName) && { isNameless: true }),
    });
  }
  return fonts;
}

/**
 * Returns a function that finds the names of fonts in their descriptors (ISO 32000-1, table 122). Fonts of type 3
 * have no name elsewhere; browsers write OpenType fonts with PostScript outlines as such fonts.
 */
function descriptorNames(file: Buffer): (font: string) => string | undefined {
  const names = new Map<string, string | undefined>();
  return (font) => {
    const reference = /\/FontDescriptor\s*(\d+ \d+) R\b/.exec(font)?.[1];
    if (!reference) return undefined;
    if (!names.has(reference) && names.size < MAX_DESCRIPTORS)
      names.set(reference, descriptorName(file, reference));
    return names.get(reference);
  };
}

/** @param reference number and generation of a descriptor */
function descriptorName(file: Buffer, reference: string): string | undefined {
  const at = file.lastIndexOf(`\n${reference} obj`);
  const object =
    at === -1
      ? findCompressedObject(file, Number.parseInt(reference, 10))
      : file.toString('latin1', at, at + MAX_DICTIONARY_BYTES).split('endobj', 1)[0];
  return /\/FontName\s*\/([^\s/<>[\]()]+)/.exec(object ?? '')?.[1];
}

/** The name of a font as it is in a file (ISO 32000-1, 7.3.5), without the tag of a subset. */
const fontName = (written: string) =>
  withoutTag(
    written.replace(/#([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  );

/** The name of a font of PostScript characters without that of its encoding (ISO 32000-1, table 121). */
const withoutEncoding = (name: string, encoding: string | undefined) =>
  encoding !== undefined && name.endsWith(`-${encoding}`) ? name.slice(0, -encoding.length - 1) : name;

/** The name of a font without the tag of a subset, which PDFium sometimes leaves out. */
export const withoutTag = (name: string) => name.replace(/^[A-Z]{6}\+/, '');

const isSameStyle = (one: FontStyle | undefined, other: FontStyle) =>
  one?.bold === other.bold && one.italic === other.italic && one.monospaced === other.monospaced;

function* fontDictionaries(file: Buffer): Generator<string> {
  for (let at = file.indexOf(REFERENCE); at !== -1; at = file.indexOf(REFERENCE, at + 1)) {
    const before = file.toString('latin1', Math.max(0, at - MAX_DICTIONARY_BYTES), at);
    const after = file.toString('latin1', at, at + MAX_DICTIONARY_BYTES);
    yield before.slice(before.lastIndexOf(' obj') + 1) + after.split('endobj', 1)[0];
  }
  for (const object of compressedObjects(file)) if (object.includes(REFERENCE)) yield object;
}
