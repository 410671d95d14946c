import type { TextItem } from '@llamaindex/liteparse';
import type { TextStyle, Word } from '../types.ts';
import { composeAccents } from './detached-accents.ts';
import { attachMarks } from './detached-marks.ts';
import { joinLeaders } from './dot-leaders.ts';
import { fontKeyOf, type Pitches } from './fixed-pitch.ts';
import { fontScale, fontSizeOf, LINE_HEIGHT } from './font-scale.ts';
import { withoutTag } from './font-styles.ts';
import { edgesOfWords, sizeBeside, usualSize, wordStyles } from './word-style.ts';
import { cleanText, styleTable, withoutRepeats } from './words.ts';

/** What is measured of the fonts of a whole document. */
export interface FontMeasures {
  /** The factor that converts their sizes to points, where it was measured. */
  scale: number | undefined;
  pitches: Pitches;
  /** The names of the fonts all of whose words have their own style. */
  told: ReadonlySet<string>;
}

/** Converts runs of text to words in points. */
export function toWords(
  items: readonly TextItem[],
  { scale: measured, pitches, told }: FontMeasures,
): Word[] {
  const styleOf = styleTable();
  const scale = measured ?? fontScale(items);
  const words: Word[] = [];
  const usual = usualSize(items, pitches);
  for (const [run, item] of items.entries()) {
    const upright = !item.rotation || item.rotation % 180 === 0;
    const height = upright ? item.height : item.width;
    const size = scale === undefined ? height / LINE_HEIGHT : (fontSizeOf(item) ?? height) * scale;
    const isTold = told.has(withoutTag(item.fontName ?? ''));
    // Fonts without a name share a key, and where they are told apart, no widths need to do so.
    const pitch = isTold && !item.fontName ? undefined : pitches.get(fontKeyOf(item));
    const parts = item.words?.length ? item.words : [item];
    const styles = wordStyles(
      parts,
      {
        name: item.fontName ?? '',
        size,
        plainSize: sizeBeside(size, usual && scale && usual * scale),
        advance: pitch && pitch * (fontSizeOf(item) ?? 0),
        isTold,
      },
      styleOf,
    );
    const spaced = spacesBefore(item.text, parts);
    const edgesOf = edgesOfWords(parts);
    for (const [place, part] of parts.entries()) {
      const text = cleanText(part.text);
      if (!text.trim()) continue;
      const { x, y } = part;
      const edges = edgesOf[place];
      const bottom = y + part.height;
      const word: Word = {
        left: x,
        // PDFium's boxes end at the baseline, but their top is that of the highest character of the word.
        top: upright ? Math.min(y, bottom - size) : y,
        right: x + part.width,
        bottom,
        text: text.trim(),
        style: styles[place] as TextStyle,
        run,
      };
      if (spaced === true || spaced.has(place)) word.isSpaced = true;
      if (edges && text === part.text) word.edges = edges;
      if (item.mcid !== undefined) word.mcid = item.mcid;
      if (item.confidence !== undefined) word.confidence = item.confidence;
      words.push(word);
    }
  }
  const composed = composeAccents(words, items.some(hasAccents));
  return joinLeaders(withoutRepeats(attachMarks(composed)));
}

/**
 * Text fonts of TeX in OT1, the encoding without accented letters. Their apostrophe is another character than the
 * acute accent.
 */
const WITHOUT_ACCENTED = /(?:^|\+)CM(?!MI|SY|EX)[A-Z]+\d/;

/** Whether what looks like an apostrophe in a run of text can only be an accent. */
const hasAccents = ({ text, fontName = '' }: TextItem) =>
  /[´`]/.test(text) && WITHOUT_ACCENTED.test(fontName);

/**
 * The places of the words that a run has a space before, except for the first one; `true` if all have one.
 * Elsewhere liteparse divides runs where the font changes.
 */
function spacesBefore(run: string, words: readonly { text: string }[]): true | ReadonlySet<number> {
  if (words.length < 2 || words.reduce((sum, { text }) => sum + text.length + 1, -1) === run.length)
    return true;
  const spaced = new Set<number>();
  let end = 0;
  for (const [place, { text }] of words.entries()) {
    const start = run.indexOf(text, end);
    if (start === -1) break;
    if (start > end) spaced.add(place);
    end = start + text.length;
  }
  return spaced;
}
