import { ServiceError } from '../../errors.ts';
import { isJsonObject } from '../../json/json-object.ts';
import { splitToTokens } from '../answers/excerpt.ts';
import { mergeData, toRequestSchema } from '../extraction/check-data.ts';
import { type DataRequest, emptySchemaWarning, warnOfMissing } from '../extraction/data-request.ts';
import { extractAll, listMissing } from '../extraction/extract.ts';
import type { Content } from '../html/content.ts';
import { estimateTokens, type PromptData, type ResponseForm } from '../language-model.ts';
import type { AskServices } from './format.ts';

/** The source from which a language model extracts data. */
export interface DataSource {
  url: string;
  /** The title and the markdown of the page. */
  text: string;
  /** The structured data of the page as JSON; empty if there is none. */
  structured: string;
}

/** A page is read in at most this many parts. */
const MAX_PARTS = 4;
/** The part of the room in a prompt that structured data may take. */
const STRUCTURED_SHARE = 0.25;

const INSTRUCTIONS =
  'Extract data from the content of a web page. Copy values as the page has them; do not infer, translate or invent any. Where the page has no value, write null if the schema allows it, and otherwise leave the property out.';

/** Reads what a language model needs to extract data from a page. */
export function readDataSource(content: Content): DataSource {
  const { title } = content.metadata;
  const all = extractAll(content);
  return {
    url: content.snapshot.url,
    text: `${title ? `Title: ${[title].flat().join(', ')}\n\n` : ''}${content.markdown.trim()}`,
    structured: all ? JSON.stringify(all) : '',
  };
}

/**
 * Extracts data from a page by a language model. A page that is too long for one prompt is read in parts,
 * whose data is merged.
 * @param subject name of the result in warnings
 * @throws ServiceError `SCRAPE_JSON_CONTENT_TOO_LARGE` for a page of more than {@link MAX_PARTS} parts
 */
export async function askForData(
  source: DataSource,
  { schema, prompt }: DataRequest,
  { services, subject }: { services: AskServices; subject: string },
): Promise<unknown> {
  const { model, warn, checkData } = services;
  const emptyWarning = emptySchemaWarning(schema);
  if (emptyWarning) warn(emptyWarning);
  const { schema: sent, isWrapped } = toRequestSchema(schema ?? { type: 'object' });
  const question = { instructions: INSTRUCTIONS, request: prompt };
  const parts = splitSource(source, model.roomFor(question, { schema: sent }));
  const isPart = parts.length > 1;
  const form: ResponseForm = {
    schema: sent,
    async check(value) {
      const data = isWrapped && isJsonObject(value) ? value.data : value;
      if (!schema) return { value: data, faults: isJsonObject(data) ? [] : ['The value must be an object.'] };
      return checkData({ schema, value: data, isPart });
    },
  };
  const found = await Promise.all(parts.map((data) => model.fill({ ...question, data }, form)));
  if (!isPart || !schema)
    return warnAndReturn(isPart ? mergeData(found) : found[0], { schema, warn, subject });
  const merged = await checkData({ schema, value: mergeData(found) });
  return warnAndReturn(merged.rest ?? merged.value, { schema, warn, subject });
}

function warnAndReturn(
  value: unknown,
  { schema, warn, subject }: Pick<DataRequest, 'schema'> & { warn: AskServices['warn']; subject: string },
): unknown {
  if (schema) warnOfMissing(listMissing(schema, value), warn, subject);
  return value;
}

/** Splits a page into the data of one prompt each. Structured data that is too long is left out. */
function splitSource({ url, text, structured }: DataSource, room: number): PromptData[][] {
  const cost = estimateTokens(structured);
  const isKnown = structured !== '' && cost <= room * STRUCTURED_SHARE;
  const known: PromptData[] = isKnown ? [{ source: `structured data of ${url}`, text: structured }] : [];
  const parts = splitToTokens(text, isKnown ? room - cost : room, MAX_PARTS);
  if (parts) return parts.map((part, index) => [{ source: url, text: part }, ...(index === 0 ? known : [])]);
  throw new ServiceError(
    'SCRAPE_JSON_CONTENT_TOO_LARGE',
    `The content of ${url} is longer than the language model can read in ${MAX_PARTS} parts. Select a part of the page with includeTags, or set onlyMainContent.`,
  );
}
