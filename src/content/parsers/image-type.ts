import { IMAGE_TYPES, type ImageType } from './document.ts';

/** Other names of the types. */
const ALIASES: Record<string, ImageType> = {
  'image/jpg': 'image/jpeg',
  'image/tif': 'image/tiff',
  'image/emf': 'image/x-emf',
  'image/wmf': 'image/x-wmf',
};

/** The type of an image that may be taken from a document; `undefined` for any other file. */
export function toImageType(mediaType: string): ImageType | undefined {
  const type = Object.hasOwn(ALIASES, mediaType) ? ALIASES[mediaType] : mediaType;
  return IMAGE_TYPES.find((allowed) => allowed === type);
}
