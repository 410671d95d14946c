import { z } from 'zod';
import { quote } from '../errors.ts';
import { withKeywords } from '../json/schema-keywords.ts';

/** A language tag of BCP 47. No language has a code of four letters or more, though the syntax of tags has room for them. */
export const languageTag = withKeywords(
  z.string().refine(isLanguageTag, { error: ({ input }) => languageFault(input) }),
  { examples: ['de', 'pt-BR'] },
);

/** Whether a text is a tag that requests may have. */
export function isLanguageTag(text: string): boolean {
  try {
    return new Intl.Locale(text).language.length <= 3;
  } catch {
    return false;
  }
}

/** Says that a value is no language tag, and which one is meant by the name of a language, or a locale. */
function languageFault(value: unknown): string {
  const tag = tagOfLanguage(String(value));
  return `${quote(String(value))} is not a language tag such as de or pt-BR${tag ? `. Write ${quote(tag)}` : ''}`;
}

/** Finds the tag of a language by its English name, or as systems write it, such as `de_DE.UTF-8`; undefined for others. */
export function tagOfLanguage(text: string): string | undefined {
  const name = text.trim().toLowerCase();
  const tag = /^[a-z]{2,3}(?:[-_][a-z]{2,4})*(?=$|[.@,;])/i.exec(text.trim())?.[0].replaceAll('_', '-');
  if (tag && isLanguageTag(tag)) return tag;
  codesByName ??= readCodesByName();
  return codesByName.get(name);
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** The codes of two letters by the English names of their languages, which are read once: that takes milliseconds. */
let codesByName: ReadonlyMap<string, string> | undefined;

function readCodesByName(): Map<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  const codes = new Map<string, string>();
  for (const code of [...LETTERS].flatMap((first) => [...LETTERS].map((second) => first + second))) {
    const name = names.of(code)?.toLowerCase();
    // Of two codes with the same name, the first one counts.
    if (name !== undefined && !codes.has(name)) codes.set(name, code);
  }
  return codes;
}
