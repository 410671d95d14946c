import { z } from 'zod';
import { findPassages } from '../answers/ranking.ts';
import { promptText } from '../extraction/data-request.ts';
import { defineFormat } from './format.ts';

const MAX_PASSAGES = 5;

/** The passages of the content that are relevant to a query, word for word. */
export const highlights = defineFormat({
  field: 'highlights',
  request: z.strictObject({ type: z.literal('highlights'), query: promptText }),
  value: z.string().describe('passages of the content, word for word, separated by blank lines'),
  credits: 4,
  isUnique: true,
  extract(content, { query }, warn) {
    const passages = findPassages(content, query, MAX_PASSAGES);
    if (passages.length === 0) {
      warn('highlights were left out, because no passage of the page is relevant to the query.');
      return undefined;
    }
    warn('highlights are the passages of the page that share the most words with the query.');
    return passages.map(({ text }) => text).join('\n\n');
  },
});
