import type { z } from 'zod';
import { attributes } from './attributes.ts';
import { audio } from './audio.ts';
import { branding } from './branding.ts';
import { changeTracking } from './change-tracking.ts';
import { contentBlocks } from './content-blocks.ts';
import { deterministicJson } from './deterministic-json.ts';
import type { AnyFormat } from './format.ts';
import { highlights } from './highlights.ts';
import { html } from './html.ts';
import { images } from './images.ts';
import { json } from './json.ts';
import { links } from './links.ts';
import { markdown } from './markdown.ts';
import { menu } from './menu.ts';
import { product } from './product.ts';
import { question } from './question.ts';
import { rawBase64 } from './raw-base64.ts';
import { rawHtml } from './raw-html.ts';
import { screenshot } from './screenshot.ts';
import { summary } from './summary.ts';
import { video } from './video.ts';

/** All outputs of a scrape, in the order of the API reference. */
export const FORMATS = [
  markdown,
  html,
  rawHtml,
  rawBase64,
  links,
  images,
  attributes,
  contentBlocks,
  screenshot,
  changeTracking,
  branding,
  summary,
  json,
  deterministicJson,
  question,
  highlights,
  product,
  menu,
  audio,
  video,
] as const;

type Each = (typeof FORMATS)[number];
type DocumentFields = { [Member in Each as Member['field']]: z.ZodOptional<Member['value']> };

/** The fields of a document that formats fill. */
export const documentFields = Object.fromEntries(
  FORMATS.map((format) => [format.field, format.value.optional()]),
  // `fromEntries` loses which key has which schema; the type derives it from the list above.
) as unknown as DocumentFields;

/** The value of `type` in requests for a format. */
export const typeOf = (format: AnyFormat): string => format.request.shape.type.value;

const BY_TYPE = new Map<string, AnyFormat>(FORMATS.map((format) => [typeOf(format), format]));

/** Finds the records of requested formats, in the order of the requests. */
export function recordsOf<Request extends { type: string }>(
  requests: readonly Request[],
): { format: AnyFormat; request: Request }[] {
  return requests.flatMap((request) => {
    const format = BY_TYPE.get(request.type);
    return format ? [{ format, request }] : [];
  });
}

/** Whether a request contains a format that is made from a source in addition to the page. */
export const needsSource = (
  requests: readonly { type: string }[],
  source: NonNullable<AnyFormat['source']>,
) => recordsOf(requests).some(({ format }) => format.source === source);
