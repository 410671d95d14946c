import { splitToTokens } from '../../content/answers/excerpt.ts';
import type { ResponseForm } from '../../content/language-model.ts';
import { isJsonObject } from '../../json/json-object.ts';
import type { PageModel } from './page-model.ts';

const INSTRUCTIONS =
  'List the names of persons in the content of a web page, each exactly as the page writes it, and each spelling that occurs: the whole name, and first or last names that stand alone. Leave out titles, and names of companies, products, places and works, also if they come from a person.';

const SCHEMA = {
  type: 'object',
  properties: { names: { type: 'array', items: { type: 'string' } } },
  required: ['names'],
};

const FORM: ResponseForm = {
  schema: SCHEMA,
  check(value) {
    const listed = isJsonObject(value) ? value.names : undefined;
    if (!Array.isArray(listed)) return { value, faults: ['names must be a list of strings.'] };
    return { value: listed.filter((name) => typeof name === 'string'), faults: [] };
  },
};

/** A page is read in at most this many parts. */
const MAX_PARTS = 8;
/** The most names of a page, and the characters of one. */
const MAX_NAMES = 500;
const MAX_NAME = 100;

const KEPT = 'redactPII left names of persons as they are';
const NO_MODEL = `${KEPT}, because no language model is configured; rules found everything else that was replaced.`;
const FAST = `${KEPT}, because they need a language model, which the mode fast does not use.`;
const LOCKDOWN = `${KEPT}, because with lockdown no language model gets the page.`;
const TOO_LONG = `${KEPT}, because the page is too long for the language model.`;

/** The names of a page, and warnings for the user. */
interface PersonNames {
  names: string[];
  warnings: string[];
}

/** Returns why names of persons cannot be found on any page; `undefined` if they can. */
export function reasonAgainstNames(options: {
  mode: string;
  lockdown: boolean;
  hasModel: boolean;
}): string | undefined {
  if (options.mode === 'fast') return FAST;
  if (options.lockdown) return LOCKDOWN;
  return options.hasModel ? undefined : NO_MODEL;
}

/**
 * Finds the names of persons on a page by a language model. Only names that the page really has count, and
 * where the model fails, there are none, with a warning.
 * @param markdown the whole page, without the personal data that rules find
 */
export async function findPersonNames(
  markdown: string,
  { url, model }: { url: string; model: PageModel },
): Promise<PersonNames> {
  const finder = model.for('redactPII');
  const prompt = { instructions: INSTRUCTIONS };
  const parts = splitToTokens(markdown, finder.roomFor(prompt, FORM), MAX_PARTS);
  if (!parts) return { names: [], warnings: [TOO_LONG] };
  try {
    const found = await Promise.all(
      parts.map((text) => finder.fill({ ...prompt, data: [{ source: url, text }] }, FORM)),
    );
    // The form makes sure that these are lists of strings.
    const names = new Set((found as string[][]).flat().map((name) => name.trim()));
    const known = [...names].filter(({ length }) => length > 1 && length <= MAX_NAME);
    return { names: known.slice(0, MAX_NAMES), warnings: [] };
  } catch (error) {
    return { names: [], warnings: [`${model.reasonOf(error)} ${KEPT}.`] };
  }
}
