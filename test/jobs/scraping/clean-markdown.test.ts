import { expect, it } from 'vitest';
import { cleanMarkdown } from '../../../src/jobs/scraping/clean-markdown.ts';
import type { PageModel } from '../../../src/jobs/scraping/page-model.ts';

/** A model that must not be asked. */
const unusable = {
  for: () => {
    throw new Error('The model was asked.');
  },
} as unknown as PageModel;

it.each([
  ['no language model is configured', undefined, false],
  ['with lockdown no language model gets the page', unusable, true],
])('the markdown stays as it is, with a warning, where %s', async (reason, model, lockdown) => {
  const { markdown, warnings } = await cleanMarkdown('# Lamp\n\nFollow us!', {
    url: 'https://a.test/',
    model,
    lockdown,
  });
  expect(markdown).toBe('# Lamp\n\nFollow us!');
  expect(warnings).toEqual([expect.stringContaining(reason)]);
});
