import type { z } from 'zod';
import { attributes } from './attributes.ts';
import { audio } from './audio.ts';
import { branding } from './branding.ts';
import { changeTracking } from './change-tracking.ts';
import { highlights } from './highlights.ts';
import { html } from './html.ts';
import { images } from './images.ts';
import { deterministicJson, json } from './json.ts';
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

/** All outputs of a scrape. A new format needs a file of its own and a line here. */
export const FORMATS = [
  markdown,
  html,
  rawHtml,
  rawBase64,
  links,
  images,
  attributes,
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
