import { z } from 'zod';
import { defineParser } from './parser.ts';

/** PNG, JPEG, GIF, WebP, BMP with its 40, 108 or 124 bytes of header, and TIFF in both byte orders. */
const SIGNATURE =
  /^(?:\x89PNG\r\n|\xFF\xD8\xFF|GIF8[79]a|RIFF[\s\S]{4}WEBPVP8|BM[\s\S]{12}[\x28\x6C\x7C]\0{3}|II\*\0|MM\0\*)/;
/** Vector images are XML, and these raster images have no reader. */
const OTHER_IMAGES = /\+xml$|^image\/(?:avif|heic|heif|jxl|jp2|vnd\.)/;

/** Raster images, whose text is recognised. */
export const image = defineParser({
  type: 'image',
  options: z.strictObject({ type: z.literal('image') }),
  detect({ start, mediaType }) {
    if (SIGNATURE.test(start)) return 'signature';
    return mediaType.startsWith('image/') && !mediaType.endsWith('+xml') ? 'type' : undefined;
  },
  parse(file, { options }) {
    const isReadable = SIGNATURE.test(file.start) || !OTHER_IMAGES.test(file.mediaType);
    if (!options || !isReadable)
      throw file.unsupportedError(undefined, adviceFor(file.mediaType, isReadable));
    return { task: { type: 'image', images: false }, bytes: file.body };
  },
});

const adviceFor = (mediaType: string, isReadable: boolean) =>
  isReadable
    ? 'Add "image" to parsers to have its text recognised.'
    : `There is no reader for ${mediaType}; PNG, JPEG, GIF, WebP, BMP and TIFF can be read.`;
