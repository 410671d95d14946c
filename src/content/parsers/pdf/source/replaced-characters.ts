import { constants, deflateSync } from 'node:zlib';
import type { ParsedPage } from '@llamaindex/liteparse';
import { type CharacterMap, findCharacterMaps } from './character-maps.ts';
import { fontsOfMaps } from './font-styles.ts';
import { rewriteMap } from './map-rewriting.ts';
import { PLACEHOLDERS, Placeholders, type Replaced } from './placeholders.ts';
import type { FontStyle } from './words.ts';

/** A file in which placeholders stand for characters. */
export interface FileWithPlaceholders {
  file: Buffer;
  /** What the placeholders stand for. */
  replaced: ReadonlyMap<string, Replaced>;
  /**
   * The names of the fonts whose letters all have placeholders. The empty name stands for the fonts without a
   * name, where all of them that are bold, italic or monospaced have placeholders.
   */
  fonts: ReadonlySet<string>;
}

const SURROGATES = /d[89ab][\da-f]{2}d[c-f][\da-f]{2}/i;
/**
 * The letters and digits that can tell the style of a font. Other scripts have too many letters, or PDFium
 * orders their letters by what they are.
 */
export const STYLED = /[0-9\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;
/**
 * Letters, digits and marks. Commas, full stops, hyphens and low lines decide in liteparse where words end, so
 * they stay.
 */
const REPLACED = /[!-+/0-9:-^`-~¡-¬®-¿‘-‟…\p{Sc}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;

/**
 * Writes placeholders into the character maps of fonts (`ToUnicode`, ISO 32000-1, 9.10.3) for two kinds of
 * characters. Those above U+FFFF are dropped by liteparse: mathematical letters, emoji and rare ideographs.
 * Letters of bold, italic and monospaced fonts lose their style, because liteparse reports only the font of the
 * first word of a run. A map is replaced in its place, and never by a longer one, so all references of the file
 * stay true.
 * @param maps the character maps of the fonts of the file
 * @returns the same file if it has no such characters; encrypted files and maps in unusual filters stay as
 * they are
 */
export function withPlaceholders(
  file: Buffer,
  maps: readonly CharacterMap[] = findCharacterMaps(file),
): FileWithPlaceholders {
  const unchanged = { file, replaced: new Map(), fonts: new Set<string>() };
  if (maps.length === 0) return unchanged;
  const fonts = fontsOfMaps(file);
  const placeholders = new Placeholders(maps);
  const [told, untold] = [new Set<string>(), new Set<string>()];
  let changed: Buffer | undefined;
  for (const map of maps) {
    const own = fonts.get(map.number);
    const styled = own?.style && hasEmphasis(own.style) && styledMap(map, own.style, placeholders);
    for (const name of own?.names ?? []) (styled ? told : untold).add(name);
    // Of the fonts without a name, those that are neither bold nor italic nor monospaced need no placeholders.
    if (own?.isNameless) (styled || (own.style && !hasEmphasis(own.style)) ? told : untold).add('');
    const bytes = styled || (SURROGATES.test(map.text) && astralMap(map, placeholders));
    if (!bytes) continue;
    changed ??= Buffer.from(file);
    changed.fill(map.isCompressed ? 0 : 0x20, map.start, map.end);
    bytes.copy(changed, map.start);
  }
  return changed
    ? {
        file: changed,
        replaced: placeholders.replaced,
        fonts: new Set([...told].filter((name) => !untold.has(name))),
      }
    : unchanged;
}

const hasEmphasis = ({ bold, italic, monospaced }: FontStyle) => bold || italic || monospaced;

const astralMap = (map: CharacterMap, placeholders: Placeholders) =>
  fitted(
    map,
    rewriteMap(map.text, (one) => (one.length > 1 ? (placeholders.of(one) ?? one) : one)),
  );

/** @returns undefined unless all letters of the map get placeholders, as others would count as plain ones */
function styledMap(map: CharacterMap, style: FontStyle, placeholders: Placeholders): Buffer | undefined {
  let isComplete = true;
  const text = rewriteMap(map.text, (one) => {
    const isStyled = REPLACED.test(one);
    if (!isStyled && one.length === 1) return one;
    const placeholder = placeholders.of(one, isStyled ? style : undefined);
    if (!placeholder) isComplete = false;
    return placeholder ?? one;
  });
  return isComplete ? fitted(map, text) : undefined;
}

/** @returns undefined if a text does not fit into the place of a map */
function fitted({ start, end, isCompressed }: CharacterMap, text: string): Buffer | undefined {
  const body = Buffer.from(text, 'latin1');
  const bytes = isCompressed ? deflateSync(body, { level: constants.Z_BEST_COMPRESSION }) : body;
  return bytes.length > end - start ? undefined : bytes;
}

/** A word of liteparse with the style that most of its letters tell. */
export interface StyledWord {
  text: string;
  fontStyle?: FontStyle;
  /** Numbers of characters at its beginning and end that are in another font. */
  edges?: [number, number];
}

/** Marks that are not replaced, so that their font is not known. */
const UNKNOWN_END = /[,.]/;

/** Puts the characters back into the text of pages, and notes the styles of words. */
export function restoreCharacters(
  pages: readonly ParsedPage[],
  replaced: FileWithPlaceholders['replaced'],
): void {
  if (replaced.size === 0) return;
  for (const { textItems } of pages)
    for (const item of textItems) {
      if (!PLACEHOLDERS.test(item.text)) continue;
      item.text = restored(item.text, replaced).text;
      for (const word of item.words ?? []) Object.assign(word, restored(word.text, replaced));
    }
}

function restored(text: string, replaced: FileWithPlaceholders['replaced']): StyledWord {
  if (!PLACEHOLDERS.test(text)) return { text };
  const characters = Array.from(text, (one) => replaced.get(one) ?? { character: one });
  const counts = new Map<FontStyle | undefined, number>();
  const letters = characters.filter(({ character }) => STYLED.test(character));
  for (const { style } of letters.length > 0 ? letters : characters.filter(({ style }) => style))
    counts.set(style, (counts.get(style) ?? 0) + 1);
  const [fontStyle] = [...counts].reduce<[FontStyle | undefined, number]>(
    (most, entry) => (entry[1] > most[1] ? entry : most),
    [undefined, 0],
  );
  const original = characters.map(({ character }) => character).join('');
  if (!fontStyle) return { text: original };
  const isOther = ({ character, style }: Replaced) =>
    style !== fontStyle && (REPLACED.test(character) || UNKNOWN_END.test(character));
  const start = characters.findIndex((one) => !isOther(one) || UNKNOWN_END.test(one.character));
  const end = characters.length - 1 - characters.findLastIndex((one) => !isOther(one));
  return { text: original, fontStyle, ...(start + end > 0 && { edges: [start, end] }) };
}
