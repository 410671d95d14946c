import { z } from 'zod';
import type { PageText } from '../answers/excerpt.ts';
import { promptText } from '../extraction/data-request.ts';
import { defineFormat } from './format.ts';

const MAX_PASSAGES = 3;

const INSTRUCTIONS =
  "Answer the user's question from the content of a web page, in the language of the question, briefly and in plain text. Use nothing but the page. If the page does not answer the question, say so in one sentence.";

/** The answer that the page gives to a user's question. */
export const question = defineFormat({
  field: 'answer',
  request: z.strictObject({ type: z.literal('question'), question: promptText }),
  value: z.string().describe('the answer to the question, from the content of the page'),
  credits: 4,
  isUnique: true,
  ask: {
    feature: 'question',
    async prepare(content, { question: asked }, promptTokens) {
      const { readPageText } = await import('../answers/excerpt.ts');
      return readPageText(content, promptTokens, asked);
    },
    async ask(prepared, { question: asked }, { model, warn }) {
      // The value was returned by `prepare` above.
      const page = prepared as PageText;
      const prompt = { instructions: INSTRUCTIONS, request: asked };
      const { selectExcerpt } = await import('../answers/excerpt.ts');
      const { text, isCut } = selectExcerpt(page, model.roomFor(prompt));
      if (text === '') {
        warn('answer was left out, because the page has no content.');
        return undefined;
      }
      if (isCut)
        warn(
          'answer is based on the most relevant parts of the page, which is too long for the language model.',
        );
      return model.write({ ...prompt, data: [{ source: page.url, text }] });
    },
  },
  async extract(content, request, warn) {
    const { findPassages } = await import('../answers/ranking.ts');
    const passages = findPassages(content, request.question, MAX_PASSAGES);
    if (passages.length === 0) {
      warn('answer was left out, because no passage of the page is relevant to the question.');
      return undefined;
    }
    warn(
      'answer consists of the passages of the page that are most relevant to the question, word for word.',
    );
    return passages.map(({ text }) => text).join('\n\n');
  },
});
