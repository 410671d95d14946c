import { z } from 'zod';
import { findPassages } from '../answers/ranking.ts';
import { promptText } from '../extraction/data-request.ts';
import { defineFormat } from './format.ts';

const MAX_PASSAGES = 3;

/** The answer that the page gives to a user's question. */
export const question = defineFormat({
  field: 'answer',
  request: z.strictObject({ type: z.literal('question'), question: promptText }),
  value: z.string().describe('the answer to the question, from the content of the page'),
  credits: 4,
  isUnique: true,
  extract(content, request, warn) {
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
