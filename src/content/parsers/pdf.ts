import { z } from 'zod';
import { bounded } from '../../json/bounded.ts';
import { defineParser } from './parser.ts';

const SIGNATURE = /^[\s\uFEFF\0]*%PDF-/;
const MEDIA_TYPES = new Set(['application/pdf', 'application/x-pdf']);

/** The limit of the API for `maxPages`. */
const MAX_PAGES = 10_000;
/** The most pages of which a request gets pictures, each of which is some 100 kB. */
const MAX_PAGE_IMAGES = 20;

/** PDF files, which `pdf/` converts. A request that does not allow the parser gets them in base64. */
export const pdf = defineParser({
  type: 'pdf',
  options: z.strictObject({
    type: z.literal('pdf'),
    mode: z.enum(['fast', 'auto', 'ocr']).default('auto'),
    maxPages: z.int().min(1).max(MAX_PAGES).optional(),
    pages: z.boolean().optional(),
    pageMarkdown: z.boolean().optional().describe('deprecated name of `pages`'),
    blocks: z.boolean().default(false),
    pageMarkers: z.boolean().default(false),
    pageImages: bounded(z.array(z.int().min(1).max(MAX_PAGES)), { entries: MAX_PAGE_IMAGES })
      .optional()
      .describe(
        'numbers of pages to return pictures of, from 1; of pages that were read, and not with zero data retention',
      ),
  }),
  detect({ start, mediaType, isUndeclared, name, hasBinarySignature }) {
    if (SIGNATURE.test(start)) return 'signature';
    const isDeclared = MEDIA_TYPES.has(mediaType);
    // PDF readers accept bytes before the signature. They are accepted here where the type or the name says
    // PDF.
    const isNamed = isDeclared || (isUndeclared && /\.pdf$/i.test(name));
    if (isNamed && start.includes('%PDF-')) return 'signature';
    return isDeclared && !hasBinarySignature ? 'type' : undefined;
  },
  parse(file, { options, wantsImages }) {
    if (!options) return file.toBase64();
    const { mode, maxPages = MAX_PAGES, blocks, pageMarkers, pageImages } = options;
    const pages = options.pages || options.pageMarkdown || blocks || pageMarkers || pageImages?.length;
    const task = {
      type: 'pdf' as const,
      images: wantsImages,
      pdf: { mode, maxPages, pages: Boolean(pages), ...(pageImages?.length && { pageImages }) },
    };
    return { task, bytes: file.body };
  },
});
