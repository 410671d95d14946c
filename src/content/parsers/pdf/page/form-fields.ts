import { type Box, centerY, containsCenter, heightOf, median, unionOf } from '../boxes.ts';
import type { FormField, Line, SourcePage, TextStyle, Word } from '../types.ts';
import { placeBesideLabel } from './box-labels.ts';

/** The run of the values of fields, which the file does not draw. */
const FIELD_RUN = -2;
const CHECKED = '☑';
const UNCHECKED = '☐';

/**
 * The words of a page with the values of its form fields at their places. A value that the page also draws is
 * there once; a single line of it is moved to the middle of its field, because labels stand beside the field,
 * wherever it draws its text.
 */
export function withFieldValues(page: SourcePage, words: readonly Word[]): Word[] {
  if (page.fields.length === 0) return [...words];
  const size = median(words.map(({ style }) => style.size)) || 10;
  const style: TextStyle = { size, bold: false, italic: false, monospaced: false };
  const moved = new Map<Word, Word>();
  const values = page.fields.flatMap((field) => {
    const text = fieldText(field);
    if (!text) return [];
    if (isBox(field)) {
      const place = placeBesideLabel(field, { words, fields: page.fields, rules: page.rules });
      if (place) return [{ ...place, text, style, run: FIELD_RUN }];
      if (field.isDrawn) return [];
    } else {
      const drawn = words.filter((word) => containsCenter(field, word));
      for (const word of inMiddle(drawn, field)) moved.set(...word);
      if (drawn.length > 0) return [];
    }
    return text.split(/\n+/).flatMap((line, row) => toWords(line, field, row, style));
  });
  return [...words.map((word) => moved.get(word) ?? word), ...values];
}

/** Words with copies of them in the middle of a field; none if they are more than one line. */
function inMiddle(words: readonly Word[], field: Box): [Word, Word][] {
  const box = unionOf(words);
  if (words.some((word) => heightOf(box) > 1.5 * heightOf(word))) return [];
  const down = centerY(field) - centerY(box);
  return words.map((word) => [word, { ...word, top: word.top + down, bottom: word.bottom + down }]);
}

const isBox = ({ type }: FormField) => type === 'checkbox' || type === 'radio';

/** Whether a line has the value of a form field. Such a line is no part of running text. */
export const hasField = ({ words }: Line) => words.some(({ run }) => run === FIELD_RUN);

function fieldText(field: FormField): string {
  const { type, value, checked } = field;
  if (isBox(field)) return checked ? CHECKED : UNCHECKED;
  return type === 'signature' ? '' : value.trim();
}

function toWords(text: string, field: FormField, row: number, style: TextStyle): Word[] {
  const words = text.split(/\s+/).filter(Boolean);
  const advance = Math.min(0.5 * style.size, (field.right - field.left) / (text.length + 1));
  const top =
    row === 0
      ? Math.max(field.top, (field.top + field.bottom) / 2 - 0.55 * style.size)
      : field.top + row * 1.2 * style.size;
  let left = field.left + 1;
  return words.map((word) => {
    const right = left + word.length * advance;
    const box = { left, right, top, bottom: top + 1.1 * style.size };
    left = right + 0.3 * style.size;
    return { ...box, text: word, style, run: FIELD_RUN };
  });
}
