import { splitMarkdownBlocks } from '../../content/html/markdown-blocks.ts';
import { estimateTokens, type ResponseForm } from '../../content/language-model.ts';
import { isJsonObject } from '../../json/json-object.ts';
import type { PageModel } from './page-model.ts';

const INSTRUCTIONS =
  'The content of a web page is given as numbered blocks of markdown. List the numbers of the blocks that are boilerplate: cookie notices, advertisements, share buttons, breadcrumbs, newsletter signups, comment sections, lists of related articles, and their headings. Everything else is content, above all text, tables, code and images of the page itself. When in doubt, a block is content.';

const SCHEMA = {
  type: 'object',
  properties: { boilerplate: { type: 'array', items: { type: 'integer' } } },
  required: ['boilerplate'],
};

const FORM: ResponseForm = {
  schema: SCHEMA,
  check(value) {
    const listed = isJsonObject(value) ? value.boilerplate : undefined;
    if (!Array.isArray(listed)) return { value, faults: ['boilerplate must be a list of numbers.'] };
    return { value: listed.filter(Number.isInteger), faults: [] };
  },
};

const UNCLEANED = 'The markdown was returned as it is, without onlyCleanContent';
const NO_MODEL = `${UNCLEANED}, because no language model is configured.`;
const LOCKDOWN = `${UNCLEANED}, because with lockdown no language model gets the page.`;

/** Markdown after cleaning, and warnings for the user. */
interface CleanedMarkdown {
  markdown: string;
  warnings: string[];
}

/**
 * Removes the boilerplate from markdown that a language model recognises. The model only selects blocks, so
 * everything that stays is as it was. Where the model cannot be used, the markdown stays as it is, with a
 * warning.
 * @param model `undefined` if none is configured
 */
export async function cleanMarkdown(
  markdown: string,
  { url, model, lockdown }: { url: string; model: PageModel | undefined; lockdown: boolean },
): Promise<CleanedMarkdown> {
  const keep = (warning: string) => ({ markdown, warnings: [warning] });
  if (lockdown) return keep(LOCKDOWN);
  if (!model) return keep(NO_MODEL);
  const blocks = splitMarkdownBlocks(markdown);
  if (blocks.length === 0) return { markdown, warnings: [] };
  const cleaner = model.for('onlyCleanContent');
  const text = blocks.map((block, index) => `[${index}] ${block}`).join('\n\n');
  const prompt = { instructions: INSTRUCTIONS };
  const room = Math.min(cleaner.outputTokens, cleaner.roomFor(prompt, FORM));
  if (estimateTokens(text) > room)
    return keep(
      `${UNCLEANED}, because it is longer than the ${room} tokens that the language model may write.`,
    );
  try {
    // The form makes sure that this is a list of numbers.
    const listed = (await cleaner.fill({ ...prompt, data: [{ source: url, text }] }, FORM)) as number[];
    const dropped = new Set(listed);
    const kept = blocks.filter((_block, index) => !dropped.has(index));
    if (kept.length > 0) return { markdown: kept.join('\n\n'), warnings: [] };
    return keep(`${UNCLEANED}, because the language model took all of it for boilerplate.`);
  } catch (error) {
    return keep(`${model.reasonOf(error)} ${UNCLEANED}.`);
  }
}
