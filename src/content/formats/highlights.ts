import { z } from 'zod';
import { isJsonObject } from '../../json/json-object.ts';
import type { NumberedPassages } from '../answers/excerpt.ts';
import { promptText } from '../extraction/data-request.ts';
import type { ResponseForm } from '../language-model.ts';
import { defineFormat } from './format.ts';

const MAX_PASSAGES = 5;
const NOTHING_RELEVANT = 'highlights were left out, because no passage of the page is relevant to the query.';

const INSTRUCTIONS =
  "The content of a web page is given as numbered passages. Select the passages that are relevant to the user's query, at most ten, by their numbers. Select none if none is relevant.";

const SCHEMA = {
  type: 'object',
  properties: { passages: { type: 'array', items: { type: 'integer' } } },
  required: ['passages'],
};

/** The passages of the content that are relevant to a query, word for word. */
export const highlights = defineFormat({
  field: 'highlights',
  request: z.strictObject({ type: z.literal('highlights'), query: promptText }),
  value: z.string().describe('passages of the content, word for word, separated by blank lines'),
  credits: 4,
  isUnique: true,
  ask: {
    feature: 'highlights',
    async prepare(content, { query }) {
      const { readNumberedPassages } = await import('../answers/excerpt.ts');
      return readNumberedPassages(content, query);
    },
    /** The model only selects numbers, so the result is text of the page whatever it responds. */
    async ask(prepared, { query }, { model, warn }) {
      // The value was returned by `prepare` above.
      const page = prepared as NumberedPassages;
      const prompt = { instructions: INSTRUCTIONS, request: query };
      const { selectNumbered } = await import('../answers/excerpt.ts');
      const { passages, text, isCut } = selectNumbered(page, model.roomFor(prompt, { schema: SCHEMA }));
      if (isCut)
        warn(
          'highlights are from the most relevant parts of the page, which is too long for the language model.',
        );
      const numbers = new Set(passages.map(({ id }) => id));
      const data = [{ source: page.url, text }];
      // The form makes sure that this is a list of numbers.
      const chosen = new Set(
        passages.length === 0
          ? []
          : ((await model.fill({ ...prompt, data }, numberForm(numbers))) as number[]),
      );
      const found = passages.filter(({ id }) => chosen.has(id));
      if (found.length === 0) warn(NOTHING_RELEVANT);
      return found.length === 0 ? undefined : found.map((passage) => passage.text).join('\n\n');
    },
  },
  async extract(content, { query }, warn) {
    const { findPassages } = await import('../answers/ranking.ts');
    const passages = findPassages(content, query, MAX_PASSAGES);
    if (passages.length === 0) {
      warn(NOTHING_RELEVANT);
      return undefined;
    }
    warn('highlights are the passages of the page that share the most words with the query.');
    return passages.map(({ text }) => text).join('\n\n');
  },
});

/** The form of a selection. Numbers that no passage has are ignored. */
function numberForm(known: ReadonlySet<number>): ResponseForm {
  return {
    schema: SCHEMA,
    check(value) {
      const listed = isJsonObject(value) ? value.passages : undefined;
      if (!Array.isArray(listed)) return { value, faults: ['passages must be a list of numbers.'] };
      return { value: listed.filter((each) => known.has(each)), faults: [] };
    },
  };
}
