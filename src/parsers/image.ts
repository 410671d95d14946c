import { z } from 'zod';
import { defineParser } from './parser.ts';

const SIGNATURE = /^(?:\x89PNG\r\n|\xFF\xD8\xFF|GIF8[79]a)/;

/** Raster images, whose text cannot be recognized yet. */
export const image = defineParser({
  type: 'image',
  options: z.strictObject({ type: z.literal('image') }),
  detect({ start, mediaType }) {
    if (SIGNATURE.test(start)) return 'signature';
    return mediaType.startsWith('image/') && !mediaType.endsWith('+xml') ? 'type' : undefined;
  },
  parse(file) {
    throw file.unsupported();
  },
});
