import { fieldsOf, isJsonObject } from '../../json/json-object.ts';
import { isShort } from './examples.ts';
import { json } from './meanings/meaning.ts';
import type { Replacement } from './replacement.ts';

/** Advises to ask for a format, with the members that were sent if they are short. */
const asFormat = (type: string, member: string) => (value: unknown) =>
  isJsonObject(value) && Object.keys(value).length && isShort(value)
    ? `Ask for it in formats: [${json({ type, ...value })}].`
    : `Ask for it in formats: [{"type": "${type}", ${json(member)}: …}].`;

/** The prompt and the schema of the `extractorOptions` of version 0, whose mode there is only one of. */
const extractorFormat = (value: unknown): object => {
  const { extractionPrompt: prompt, extractionSchema: schema } = fieldsOf(value);
  return Object.fromEntries(Object.entries({ prompt, schema }).filter(([, each]) => each !== undefined));
};

/** The object of a viewport, also from a text such as `1280x720`. */
function viewportOf(value: unknown): string {
  const [, width, height] = /^(\d{1,5})\s*\D\s*(\d{1,5})$/.exec(typeof value === 'string' ? value : '') ?? [];
  if (width) return json({ width: Number(width), height: Number(height) });
  return isJsonObject(value) && isShort(value) ? json(value) : json({ width: 1280, height: 720 });
}

/** Advises to ask for data of the page in a format, with the prompt or schema that was sent. */
const asJsonFormat = (member: 'prompt' | 'schema', begin: string, end = '') => {
  return (value: unknown) =>
    `${begin}[{"type": "json", ${json(member)}: ${isShort(value) ? json(value) : '…'}}]${end}.`;
};

/** Options of formats of the older versions, and data that a scrape gets as a format. */
export const FORMAT_NAMES: readonly Replacement[] = [
  {
    names: ['jsonOptions', 'extract', 'extractorOptions'],
    beside: 'scrapeOptions',
    advice: (value) =>
      `Ask for it in scrapeOptions: {"formats": [${json({ type: 'json', ...(isJsonObject(value) && isShort(value) ? value : { prompt: '…' }) })}]}.`,
  },
  { names: ['jsonOptions', 'extract'], beside: 'formats', advice: asFormat('json', 'schema') },
  {
    names: ['extractorOptions'],
    beside: 'formats',
    advice: (value) => asFormat('json', 'schema')(extractorFormat(value)),
  },
  { names: ['changeTrackingOptions'], beside: 'formats', advice: asFormat('changeTracking', 'modes') },
  {
    names: ['screenshot'],
    beside: 'formats',
    advice: (value) =>
      value === true ? 'Use formats: ["screenshot"].' : asFormat('screenshot', 'fullPage')(value),
  },
  {
    names: ['fullPageScreenshot'],
    beside: 'formats',
    advice: 'Use formats: [{"type":"screenshot","fullPage":true}].',
  },
  {
    names: ['viewport'],
    beside: 'formats',
    advice: (value) =>
      `A screenshot has it: formats: [{"type": "screenshot", "viewport": ${viewportOf(value)}}]. For a small screen, use mobile: true.`,
  },
  {
    names: ['prompt', 'extractionPrompt'],
    beside: 'formats',
    advice: asJsonFormat('prompt', 'Ask for it in formats: '),
  },
  {
    names: ['schema', 'extractionSchema'],
    beside: 'formats',
    advice: asJsonFormat('schema', 'Ask for it in formats: '),
  },
  {
    names: ['schema', 'extractionSchema'],
    beside: 'scrapeOptions',
    advice: asJsonFormat('schema', 'Ask for it in scrapeOptions: {"formats": ', '}'),
  },
  { names: ['jsonSchema', 'json_schema', 'extractionSchema'], beside: 'schema', option: 'schema' },
];
