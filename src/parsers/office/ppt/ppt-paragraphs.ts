import { CFB } from '@e965/xlsx';
import { isMonospaced } from '../fonts.ts';
import type { CharacterMarks, SourceParagraph } from '../source/source-paragraphs.ts';
import { type CharacterStyle, readCharacterStyles } from './character-styles.ts';
import { readSlideVisibility } from './hidden-slides.ts';
import { readRecords, TYPES } from './records.ts';

/** Reads the paragraphs of a PowerPoint 97 to 2003 presentation with inline code, superscripts, subscripts and hidden slides. */
export function readPptParagraphs(bytes: Uint8Array): SourceParagraph[] {
  const file = CFB.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), { type: 'buffer' });
  const content = CFB.find(file, '/PowerPoint Document')?.content;
  const stream = Buffer.from((content ?? []) as Uint8Array);
  const codeFonts = readCodeFonts(stream);
  const { hidden, places } = readSlideVisibility(stream);
  const finished: SourceParagraph[] = [];
  let slide: number | undefined;
  let slides = 0;
  let text = '';
  const finish = (styles: readonly CharacterStyle[]) => {
    const isHidden = slide !== undefined && hidden[slide];
    for (const paragraph of paragraphsOf(text, styles, codeFonts))
      finished.push(isHidden ? { ...paragraph, hiddenSlide: slide as number } : paragraph);
    text = '';
  };
  for (const { type, content } of readRecords(stream)) {
    if (type === TYPES.textStyles && text) finish(stylesOf(content, text.length));
    if (text) finish([]);
    if (type === TYPES.slide) slide = slides++;
    if (type === TYPES.slideList) slide = undefined;
    // The texts of titles and outlines are in the list of slides, those of other shapes in the slides.
    if (type === TYPES.slideInList && content.length >= 4) slide = places.get(content.readUInt32LE(0));
    if (type === TYPES.textCharacters) text = content.toString('utf16le');
    if (type === TYPES.textBytes) text = content.toString('latin1');
  }
  if (text) finish([]);
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

/** Splits a text at its line ends, and each paragraph where its style changes. */
function paragraphsOf(
  text: string,
  styles: readonly CharacterStyle[],
  codeFonts: ReadonlySet<number>,
): SourceParagraph[] {
  const paragraphs: SourceParagraph[] = [{ runs: [] }];
  let at = 0;
  for (const style of [...styles, { length: text.length, raise: 0 }]) {
    const marks = marksOf(style, codeFonts);
    const [first = '', ...others] = text.slice(at, at + style.length).split('\r');
    at += style.length;
    if (first) paragraphs.at(-1)?.runs.push({ text: first, ...marks });
    for (const line of others) paragraphs.push({ runs: line ? [{ text: line, ...marks }] : [] });
  }
  return paragraphs;
}

function marksOf({ font, raise }: CharacterStyle, codeFonts: ReadonlySet<number>): CharacterMarks {
  return {
    ...(font !== undefined && codeFonts.has(font) && { code: true }),
    ...(raise !== 0 && { position: raise > 0 ? 'super' : 'sub' }),
  };
}
