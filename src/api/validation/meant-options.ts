import { MEANINGS } from './meanings/index.ts';
import { adviseOnMemberKey } from './member-keys.ts';
import { type Misnamed, useOption, withSentValue } from './option-advice.ts';
import { optionOfValue } from './option-of-value.ts';
import { hasWords, wordsOf } from './option-words.ts';
import { shapeOf, unwrap } from './request-schema.ts';
import { adviseOnValueKind } from './value-kinds.ts';
import { substituteFor } from './value-substitutes.ts';

/** Says which option is meant by a value that only one of them accepts. */
export function adviseOnValue(misnamed: Misnamed): string | undefined {
  // In a query, a state may be a switch: `active=true`.
  const isSwitch = misnamed.part === 'query' && /^(true|1|yes|)$/i.test(String(misnamed.value));
  const meant = isSwitch ? { ...misnamed, value: misnamed.key } : misnamed;
  const name = optionOfValue(meant);
  if (!name) return undefined;
  const substitute = substituteFor(name, meant.value);
  return substitute ? `${substitute}.` : useOption(name, undefined, meant, true);
}

/** Says what to do by the words of a name: of the place itself, or of the scrapes that the place has. */
export function adviseOnMeaning(misnamed: Misnamed): string | undefined {
  const { key, value, shape } = misnamed;
  const member = adviseOnMemberKey(key, value, shape);
  if (member) return member;
  const found = adviseOnWords(wordsOf(key), misnamed);
  if (found !== undefined || !shape.scrapeOptions) return found;
  const nested = { ...misnamed, shape: shapeOf(unwrap(shape.scrapeOptions)) };
  const inside = adviseOnValueKind(value, nested.shape) ?? adviseOnValue(nested) ?? adviseOnMeaning(nested);
  return inside?.startsWith('Use ') ? `In scrapeOptions: ${inside}` : inside;
}

/** Finds the advice for words; that for an option which can have the value comes first. */
function adviseOnWords(words: ReadonlySet<string>, misnamed: Misnamed): string | undefined {
  const { value, shape } = misnamed;
  const found = MEANINGS.filter(({ beside }) => Object.hasOwn(shape, beside))
    .flatMap(({ advice }) => Object.entries(advice))
    .filter(([wanted]) => hasWords(words, wanted))
    .map(([, advice]) => withSentValue(typeof advice === 'function' ? advice(value) : advice, misnamed));
  return found.find((advice) => !isForOthers(advice, misnamed)) ?? found[0];
}

/** Whether advice is to use an option that takes no number, for a value that is one. */
function isForOthers(advice: string, { value, shape }: Misnamed): boolean {
  const name = /^Use (\w+)/.exec(advice)?.[1];
  if (typeof value !== 'number' || !name || !Object.hasOwn(shape, name)) return false;
  return !unwrap(shape[name]!).some((plain) => plain.schema._zod.def.type === 'number');
}

/** A word, by which a value says what its option is for where the name does not: `{"bypass": "cloudflare"}`. */
const WORD = /^[a-z][\w-]{2,30}$/i;

/** Says what to do by the word that a value is. */
export function adviseOnWord(misnamed: Misnamed): string | undefined {
  const { value, part } = misnamed;
  if (typeof value !== 'string' || !WORD.test(value) || part !== 'body') return undefined;
  return adviseOnWords(wordsOf(value), { ...misnamed, value: undefined });
}
