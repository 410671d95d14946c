import { z } from 'zod';
import type { PageText } from '../answers/excerpt.ts';
import { defineFormat } from './format.ts';

const SOURCES = {
  sentences: 'summary consists of sentences of the page, word for word.',
  description: 'summary is the description in the metadata of the page.',
};

const NO_SENTENCES = 'summary was left out, because the page has no sentences.';

const INSTRUCTIONS =
  'Summarize the content of a web page in three to six sentences of plain text, in the language of the page. State what the page says, the most important first. Use nothing but the page, and add no introduction.';

/** A short summary of the content. */
export const summary = defineFormat({
  field: 'summary',
  request: z.strictObject({ type: z.literal('summary') }),
  value: z.string().describe('a summary of the content in a few sentences'),
  ask: {
    feature: 'summary',
    async prepare(content, _request, promptTokens) {
      const { readPageText } = await import('../answers/excerpt.ts');
      return readPageText(content, promptTokens);
    },
    async ask(prepared, _request, { model, warn }) {
      // The value was returned by `prepare` above.
      const page = prepared as PageText;
      const prompt = { instructions: INSTRUCTIONS };
      const { selectExcerpt } = await import('../answers/excerpt.ts');
      const { text, isCut } = selectExcerpt(page, model.roomFor(prompt));
      if (text === '') {
        warn(NO_SENTENCES);
        return undefined;
      }
      if (isCut) warn('summary is based on a part of the page, which is too long for the language model.');
      return model.write({ ...prompt, data: [{ source: page.url, text }] });
    },
  },
  async extract(content, _request, warn) {
    const { summarize } = await import('../answers/summary.ts');
    const found = summarize(content);
    warn(found ? SOURCES[found.by] : NO_SENTENCES);
    return found?.text;
  },
});
