import { z } from 'zod';
import { defineParser } from './parser.ts';

/** PNG, JPEG, GIF, WebP, BMP with its 40, 108 or 124 bytes of header, and TIFF in both byte orders. */
const SIGNATURE =
  /^(?:\x89PNG\r\n|\xFF\xD8\xFF|GIF8[79]a|RIFF[\s\S]{4}WEBPVP8|BM[\s\S]{12}[\x28\x6C\x7C]\0{3}|II\*\0|MM\0\*)/;

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
