import { CFB } from '@e965/xlsx';
import { toBuffer } from '../../../source-text.ts';
import { isMonospaced } from '../fonts.ts';
import type { CharacterMarks, SourceParagraph } from '../source/source-paragraphs.ts';
import { type CharacterStyle, readCharacterStyles } from './character-styles.ts';
import { readSlideVisibility } from './hidden-slides.ts';
import { LinkReader, type TextLink } from './links.ts';
import { readRecords, TYPES } from './records.ts';

/** A text with what the records behind it say about its parts. */
interface StyledText {
  text: string;
  styles: CharacterStyle[];
  links: TextLink[];
}

/** Records with which a text, and what belongs to it, is over. */
const ENDS_OF_TEXT = new Set<number>([
  TYPES.slide,
  TYPES.slideList,
  TYPES.slideInList,
  TYPES.textHeader,
  TYPES.outlineText,
  TYPES.textCharacters,
  TYPES.textBytes,
]);

/**
 * Reads the paragraphs of a PowerPoint 97 to 2003 presentation with inline code, superscripts, subscripts,
 * links and hidden slides.
 */
export function readPptParagraphs(bytes: Uint8Array): SourceParagraph[] {
  const file = CFB.read(toBuffer(bytes), { type: 'buffer' });
  const content = CFB.find(file, '/PowerPoint Document')?.content;
  const stream = Buffer.from((content ?? []) as Uint8Array);
  const codeFonts = readCodeFonts(stream);
  const { hidden, places } = readSlideVisibility(stream);
  const finished: SourceParagraph[] = [];
  let slide: number | undefined;
  let slides = 0;
  let text: StyledText | undefined;
  const finish = () => {
    const isHidden = slide !== undefined && hidden[slide];
    for (const paragraph of text ? paragraphsOf(text, codeFonts) : [])
      finished.push(isHidden ? { ...paragraph, hiddenSlide: slide as number } : paragraph);
    text = undefined;
  };
  const links = new LinkReader(stream);
  for (const record of readRecords(stream)) {
    const { type, content } = record;
    if (ENDS_OF_TEXT.has(type)) finish();
    if (text && type === TYPES.textStyles) text.styles = stylesOf(content, text.text.length);
    const link = links.read(record);
    if (text && link) text.links.push(link);
    if (type === TYPES.slide) slide = slides++;
    if (type === TYPES.slideList) slide = undefined;
    // The texts of titles and outlines are in the list of slides, those of other shapes in the slides.
    if (type === TYPES.slideInList && content.length >= 4) slide = places.get(content.readUInt32LE(0));
    if (type === TYPES.textCharacters) text = { text: content.toString('utf16le'), styles: [], links: [] };
    if (type === TYPES.textBytes) text = { text: content.toString('latin1'), styles: [], links: [] };
  }
  finish();
  return finished;
}

/** The numbers of the fonts whose letters have equal width. */
function readCodeFonts(stream: Buffer): Set<number> {
  const fonts = new Set<number>();
  for (const { type, instance, content } of readRecords(stream)) {
    const [name = ''] = type === TYPES.font ? content.toString('utf16le', 0, 64).split('\0') : [];
    if (isMonospaced(name)) fonts.add(instance);
  }
  return fonts;
}

function stylesOf(content: Buffer, length: number): CharacterStyle[] {
  try {
    return readCharacterStyles(content, length);
  } catch (error) {
    // The text is sound, whatever its styles are.
    if (error instanceof RangeError) return [];
    throw error;
  }
}

/** Splits a text at its line ends, and each paragraph where its style or link changes. */
function paragraphsOf(styled: StyledText, codeFonts: ReadonlySet<number>): SourceParagraph[] {
  const paragraphs: SourceParagraph[] = [{ runs: [] }];
  for (const { text, style, href } of partsOf(styled)) {
    const marks = { ...marksOf(style, codeFonts), ...(href !== undefined && { href }) };
    const [first = '', ...others] = text.split('\r');
    if (first) paragraphs.at(-1)?.runs.push({ text: first, ...marks });
    for (const line of others) paragraphs.push({ runs: line ? [{ text: line, ...marks }] : [] });
  }
  return paragraphs;
}

/** The parts of a text that have one style and at most one link. */
function* partsOf({
  text,
  styles,
  links,
}: StyledText): Generator<{ text: string; style: CharacterStyle; href?: string }> {
  const waiting = [...links].sort((one, other) => one.begin - other.begin).values();
  let link = waiting.next().value;
  let at = 0;
  for (const style of [...styles, { length: text.length, raise: 0 }]) {
    const styleEnd = Math.min(text.length, at + style.length);
    while (at < styleEnd) {
      while (link && link.end <= at) link = waiting.next().value;
      const isLinked = link !== undefined && link.begin <= at;
      const change = (isLinked ? link?.end : link?.begin) ?? styleEnd;
      const end = Math.min(styleEnd, change);
      yield { text: text.slice(at, end), style, ...(isLinked && link && { href: link.href }) };
      at = end;
    }
  }
}

function marksOf({ font, raise }: CharacterStyle, codeFonts: ReadonlySet<number>): CharacterMarks {
  return {
    ...(font !== undefined && codeFonts.has(font) && { code: true }),
    ...(raise !== 0 && { position: raise > 0 ? 'super' : 'sub' }),
  };
}
