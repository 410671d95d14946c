import { z } from 'zod';
import { defineParser } from './parser.ts';

const SIGNATURE = /^[\s\uFEFF\0]*%PDF-/;
const MEDIA_TYPES = new Set(['application/pdf', 'application/x-pdf']);

/** PDF files, which cannot be converted yet. They are only returned in base64, on request. */
export const pdf = defineParser({
  type: 'pdf',
  options: z.strictObject({
    type: z.literal('pdf'),
    mode: z.enum(['fast', 'auto', 'ocr']).default('auto'),
    maxPages: z.int().min(1).max(10_000).optional(),
    pages: z.boolean().optional(),
    pageMarkdown: z.boolean().optional().describe('deprecated name of `pages`'),
    blocks: z.boolean().default(false),
    pageMarkers: z.boolean().default(false),
  }),
  detect({ start, mediaType, isUndeclared, path, hasBinarySignature }) {
    if (SIGNATURE.test(start)) return 'signature';
    const isDeclared = MEDIA_TYPES.has(mediaType);
    // PDF readers accept bytes before the signature. They are accepted here where the type or the name says PDF.
    const isNamed = isDeclared || (isUndeclared && /\.pdf$/i.test(path));
    if (isNamed && start.includes('%PDF-')) return 'signature';
    return isDeclared && !hasBinarySignature ? 'type' : undefined;
  },
  parse(file, { options }) {
    if (!options) return file.toBase64();
    const advice = 'PDFs cannot be converted yet; send "parsers": [] to get it as base64.';
    throw file.unsupported('application/pdf', advice);
  },
});
