import { cutToTokens, type LanguageModel } from '../../content/language-model.ts';
import { type PageView, withoutRefs } from './page-view.ts';

const INSTRUCTIONS =
  'You extract data from a web page. Use only what the page says, leave out what it does not say, and never guess. The member "data" of your response is the data.';

const SCHEMA = { type: 'object', properties: { data: {} }, required: ['data'], additionalProperties: false };

/**
 * Extracts data from a page by a question of its own, so that the page does not take up room in the
 * conversation.
 * @param request which data
 * @returns the data as JSON, with a note if the page was too long
 * @throws ServiceError as `LanguageModel.fill`
 */
export async function extractFromView(
  model: LanguageModel,
  view: PageView,
  request: string,
): Promise<string> {
  const prompt = { instructions: INSTRUCTIONS, request };
  const { text, isCut } = cutToTokens(withoutRefs(view.text), model.roomFor(prompt, { schema: SCHEMA }));
  const filled = await model.fill(
    { ...prompt, data: [{ source: view.url, text }] },
    { schema: SCHEMA, check },
  );
  // The check has made sure of its form.
  const json = JSON.stringify((filled as { data: unknown }).data);
  return isCut ? `${json} (The page is too long; only its beginning was read.)` : json;
}

function check(value: unknown) {
  const hasData = typeof value === 'object' && value !== null && 'data' in value;
  return { value, faults: hasData ? [] : ['The member "data" is missing.'] };
}
