import type { TextItem } from '@llamaindex/liteparse';
import type { Word } from '../types.ts';
import { composeAccents } from './detached-accents.ts';
import { joinLeaders } from './dot-leaders.ts';
import { fontKeyOf, type Pitches } from './fixed-pitch.ts';
import { fontScale, fontSizeOf, LINE_HEIGHT } from './font-scale.ts';
import { isBullet, MONOSPACED_SUFFIX, sizeBeside, styleOfWord, usualSize } from './word-style.ts';
import { cleanText, styleTable, withoutRepeats, withPunctuationLast } from './words.ts';

/** What is measured of the fonts of a whole document. */
export interface FontMeasures {
  /** The factor that converts their sizes to points, where it was measured. */
  scale: number | undefined;
  pitches: Pitches;
}

/** Converts runs of text to words in points. */
export function toWords(items: readonly TextItem[], { scale: measured, pitches }: FontMeasures): Word[] {
  const styleOf = styleTable();
  const scale = measured ?? fontScale(items);
  const words: Word[] = [];
  const usual = usualSize(items, pitches);
  for (const [run, item] of items.entries()) {
    const upright = !item.rotation || item.rotation % 180 === 0;
    const height = upright ? item.height : item.width;
    const size = scale === undefined ? height / LINE_HEIGHT : (fontSizeOf(item) ?? height) * scale;
    const pitch = pitches.get(fontKeyOf(item));
    const style = styleOf(`${item.fontName ?? ''}${pitch ? MONOSPACED_SUFFIX : ''}`, size);
    // PDFium reports the font of the first word for a whole run.
    const plain = style.monospaced ? styleOf('', sizeBeside(size, usual && scale && usual * scale)) : style;
    const parts = item.words?.length ? item.words : [item];
    const advance = pitch && pitch * (fontSizeOf(item) ?? 0);
    const rest = !style.monospaced && isBullet(parts[0]?.text) ? styleOf('', size) : undefined;
    const spaced = spacesBefore(item.text, parts);
    for (const [place, part] of parts.entries()) {
      const text = cleanText(part.text);
      if (!text.trim()) continue;
      const { x, y } = part;
      const bottom = y + part.height;
      const word: Word = {
        left: x,
        // PDFium's boxes end at the baseline, but their top is that of the highest character of the word.
        top: upright ? Math.min(y, bottom - size) : y,
        right: x + part.width,
        bottom,
        text: withPunctuationLast(text.trim()),
        style: (part !== parts[0] && rest) || styleOfWord(part, { style, plain, advance }),
        run,
      };
      if (spaced === true || spaced.has(place)) word.isSpaced = true;
      if (item.mcid !== undefined) word.mcid = item.mcid;
      if (item.confidence !== undefined) word.confidence = item.confidence;
      words.push(word);
    }
  }
  composeAccents(words);
  return joinLeaders(withoutRepeats(words));
}

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
