import { z } from 'zod';
import { summarize } from '../answers/summary.ts';
import { defineFormat } from './format.ts';

const SOURCES = {
  sentences: 'summary consists of sentences of the page, word for word.',
  description: 'summary is the description in the metadata of the page.',
};

/** A short summary of the content. */
export const summary = defineFormat({
  field: 'summary',
  request: z.strictObject({ type: z.literal('summary') }),
  value: z.string().describe('a summary of the content in a few sentences'),
  extract(content, _request, warn) {
    const found = summarize(content);
    warn(found ? SOURCES[found.by] : 'summary was left out, because the page has no sentences.');
    return found?.text;
  },
});
