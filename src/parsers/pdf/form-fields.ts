import { containsCenter, median } from './boxes.ts';
import type { FormField, SourcePage, TextStyle, Word } from './types.ts';

const CHECKED = '☑';
const UNCHECKED = '☐';

/** The values of form fields as words at their positions, without values that the page also draws as text. */
export function fieldWords(page: SourcePage, words: readonly Word[]): Word[] {
  if (page.fields.length === 0) return [];
  const size = median(words.map(({ style }) => style.size)) || 10;
  const style: TextStyle = { size, bold: false, italic: false, monospaced: false };
  return page.fields.flatMap((field) => {
    const text = fieldText(field);
    if (
      !text ||
      (field.type !== 'checkbox' &&
        field.type !== 'radio' &&
        words.some((word) => containsCenter(field, word)))
    )
      return [];
    return text.split(/\n+/).flatMap((line, row) => toWords(line, field, row, style));
  });
}

function fieldText({ type, value, checked }: FormField): string {
  if (type === 'checkbox' || type === 'radio') return checked ? CHECKED : UNCHECKED;
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
    return { ...box, text: word, style, run: -1 };
  });
}
