import { centerY, containsCenter, heightOf, median, unionOf } from '../boxes.ts';
import type { FormField, Line, SourcePage, TextStyle, Word } from '../types.ts';
import { labelBefore, placeBesideLabel } from './box-labels.ts';

/** The run of the value of the first field, which the file does not draw; those of others are lower. */
const FIELD_RUN = -2;
const CHECKED = '☑';
const UNCHECKED = '☐';

/**
 * The words of a page with the values of its form fields at their places. A value that the page also draws is
 * there once, and the options of a list that are not selected are left out. A single line of it is moved to the
 * height of its label, or to the middle of its field, because labels stand beside the field, wherever it draws
 * its text.
 */
export function withFieldValues(page: SourcePage, words: readonly Word[]): Word[] {
  if (page.fields.length === 0) return [...words];
  const size = median(words.map(({ style }) => style.size)) || 10;
  const style: TextStyle = { size, bold: false, italic: false, monospaced: false };
  const moved = new Map<Word, Word>();
  const notSelected = new Set<Word>();
  const around = { words, fields: page.fields, rules: page.rules };
  const values = page.fields.flatMap((field, place) => {
    const run = FIELD_RUN - place;
    const text = fieldText(field);
    if (!text) return [];
    if (isBox(field)) {
      const box = placeBesideLabel(field, around);
      if (box) return [{ ...box, text, style, run }];
      if (field.isDrawn) return [];
      return toWords(text, centerY(field) - 0.55 * size, { field, style, run });
    }
    const label = labelBefore(field, words);
    const drawn = words.filter((word) => containsCenter(field, word));
    if (field.type === 'choice' && drawn.length > wordsOf(text).length) {
      for (const word of drawn) notSelected.add(word);
    } else if (drawn.length > 0) {
      for (const word of atHeight(drawn, centerY(label ?? field))) moved.set(...word);
      return [];
    }
    return valueWords(text, { field, label, style, run });
  });
  const kept = words.filter((word) => !notSelected.has(word));
  return [...kept.map((word) => moved.get(word) ?? word), ...values];
}

/** Words with copies of them in the middle of a line; none if they are more than one line. */
function atHeight(words: readonly Word[], middle: number): [Word, Word][] {
  const box = unionOf(words);
  if (words.some((word) => heightOf(box) > 1.5 * heightOf(word))) return [];
  const down = middle - centerY(box);
  return words.map((word) => [word, { ...word, top: word.top + down, bottom: word.bottom + down }]);
}

const isBox = ({ type }: FormField) => type === 'checkbox' || type === 'radio';

/** Whether a line has the value of a form field. Such a line is no part of running text. */
export const hasField = ({ words }: Line) => words.some(({ run }) => run <= FIELD_RUN);

function fieldText(field: FormField): string {
  const { type, value, checked } = field;
  if (isBox(field)) return checked ? CHECKED : UNCHECKED;
  return type === 'signature' ? '' : value.trim();
}

interface ValuePlace {
  field: FormField;
  /** The word that the field stands beside. */
  label: Word | undefined;
  style: TextStyle;
  run: number;
}

/**
 * The words of a value. Its first line is level with the label, or else in the middle of a field for one line.
 * Lines beside a label at the foot of its field become one, because further lines would be below the field.
 */
function valueWords(text: string, place: ValuePlace): Word[] {
  const { field, label, style } = place;
  const all = text.split(/\n+/);
  const isAtFoot = label !== undefined && centerY(label) > centerY(field);
  const lines = isAtFoot ? [all.join(' ')] : all;
  const middle = label ? centerY(label) : lines.length === 1 ? centerY(field) : field.top;
  const top = Math.max(field.top, middle - 0.55 * style.size);
  return lines.flatMap((line, row) => toWords(line, top + row * 1.2 * style.size, place));
}

const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean);

function toWords(text: string, top: number, { field, style, run }: Omit<ValuePlace, 'label'>): Word[] {
  const words = wordsOf(text);
  const advance = Math.min(0.5 * style.size, (field.right - field.left) / (text.length + 1));
  let left = field.left + 1;
  return words.map((word) => {
    const right = left + word.length * advance;
    const box = { left, right, top, bottom: top + 1.1 * style.size };
    left = right + 0.3 * style.size;
    return { ...box, text: word, style, run };
  });
}
