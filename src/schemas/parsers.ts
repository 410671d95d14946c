import { z } from 'zod';
import { PARSERS } from '../content/parsers/index.ts';
import type { PageResults } from '../content/rendering/page-results.ts';
import { bounded } from '../json/bounded.ts';

type Selectable = Extract<(typeof PARSERS)[number], { options: z.ZodObject }>;
type Options = Selectable['options'];

const options = PARSERS.flatMap((parser): Options[] => ('options' in parser ? [parser.options] : []));
const types = options.map((each): Selectable['type'] => each.shape.type.value);

/** The most entries of the option, in which parsers may be repeated. */
const MAX_PARSERS = 20;

/** The file parsers that may be used. Without `pdf`, a PDF is returned as base64. */
export const parsers = bounded(z.array(z.union([z.enum(types), ...options])), { entries: MAX_PARSERS })
  .default(['pdf', 'image'])
  .describe(
    'parsers for files that not every request wants converted: pdf, and image, which recognises the text of images. Without pdf, a PDF is returned as base64',
  );

/** A bare name is the object with only the type. */
const parseName = (name: Selectable['type']) =>
  options.find(({ shape }) => shape.type.value === name)!.parse({ type: name });

/**
 * The options of each parser that a request allows, with defaults filled in. If a parser is there several
 * times, its options take precedence over its bare name.
 * @param requested the validated option `parsers`
 */
export function parserOptions(requested: z.output<typeof parsers>): z.output<Options>[] {
  const byType = new Map<string, z.output<Options>>();
  for (const each of requested) {
    if (typeof each === 'object') byType.set(each.type, each);
    else if (!byType.has(each)) byType.set(each, parseName(each));
  }
  return [...byType.values()];
}

/** Whether a request has options for a parser that differ from the defaults, and so make other documents. */
export const hasParserOptions = (requested: z.output<typeof parsers>): boolean =>
  requested.some(
    (each) => typeof each === 'object' && JSON.stringify(each) !== JSON.stringify(parseName(each.type)),
  );

/** Which results for the single pages of a document a request wants; `undefined` for none. */
export function pageResultsOf(requested: z.output<typeof parsers>): PageResults | undefined {
  const pdf = parserOptions(requested).find((each) => each.type === 'pdf');
  if (!pdf) return undefined;
  const { blocks, pageMarkers } = pdf;
  const pages = pdf.pages ?? pdf.pageMarkdown ?? false;
  const pageImages = Boolean(pdf.pageImages?.length);
  return pages || blocks || pageMarkers || pageImages
    ? { pages, blocks, pageMarkers, pageImages }
    : undefined;
}
