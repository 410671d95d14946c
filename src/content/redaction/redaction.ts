/** The kinds of personal data, as requests and the tags that replace it name them. */
export const ENTITIES = ['PERSON', 'EMAIL', 'PHONE', 'LOCATION', 'FINANCIAL', 'SECRET'] as const;

/** A kind of personal data. */
export type Entity = (typeof ENTITIES)[number];

/**
 * What takes the place of personal data: its kind as `<KIND>`, as many asterisks as it has characters, or
 * nothing.
 */
export const REPLACE_STYLES = ['tag', 'mask', 'remove'] as const;
type ReplaceStyle = (typeof REPLACE_STYLES)[number];

/**
 * How thoroughly a page is searched: `fast` by rules, `accurate` also by a language model, `aggressive` by a
 * model and by rules that take doubtful numbers as well.
 */
export const REDACTION_MODES = ['accurate', 'aggressive', 'fast'] as const;

/** The option `redactPII` of a request; it is plain data. */
export interface Redaction {
  mode: (typeof REDACTION_MODES)[number];
  /** All kinds by default. */
  entities?: readonly Entity[] | undefined;
  replaceStyle: ReplaceStyle;
  /** Names of persons that are on the page, as a language model found them. */
  names?: readonly string[];
}

/** Personal data in a text. */
export interface Span {
  start: number;
  /** The position after its last character. */
  end: number;
  entity: Entity;
}

/** Whether a redaction covers a kind of personal data. */
export const covers = ({ entities }: Pick<Redaction, 'entities'>, entity: Entity): boolean =>
  entities === undefined || entities.includes(entity);

/** Returns what takes the place of personal data in a text. @param length its number of characters */
export function replacementOf(entity: Entity, length: number, style: ReplaceStyle): string {
  if (style === 'tag') return `<${entity}>`;
  return style === 'mask' ? '*'.repeat(length) : '';
}

/**
 * Returns what takes the place of personal data in a URL, in which the tag has no angle brackets, because
 * URLs cannot have them.
 */
export const urlReplacementOf = (entity: Entity, length: number, style: ReplaceStyle): string =>
  style === 'tag' ? entity : replacementOf(entity, length, style);

/** Replaces the spans of a text, which are in its order and do not overlap. */
export function replaceSpans(
  text: string,
  spans: readonly Span[],
  replace: (entity: Entity, length: number) => string,
): string {
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, entity } of spans) {
    parts.push(text.slice(from, start), replace(entity, end - start));
    from = end;
  }
  parts.push(text.slice(from));
  return parts.join('');
}

const ESCAPED_TAG = /\\<(PERSON|EMAIL|PHONE|LOCATION|FINANCIAL|SECRET)\\?>/g;

/** Removes the backslashes that markdown has before tags, so that programs find `<EMAIL>` as it is. */
export const withPlainTags = (markdown: string): string => markdown.replace(ESCAPED_TAG, '<$1>');

/** The redaction that a value of the option `redactPII` asks for; `undefined` if it asks for none. */
export function redactionOf(option: boolean | Redaction | undefined): Redaction | undefined {
  if (option === true) return { mode: 'accurate', replaceStyle: 'tag' };
  return option || undefined;
}
