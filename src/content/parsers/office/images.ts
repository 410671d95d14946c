import type { DocumentImage } from '../document.ts';
import { toImageType } from '../image-type.ts';
import type { Asset } from './model.ts';

/** The assets of a document that are images, by the numbers to which its blocks refer. */
export function toImages(assets: readonly Asset[]): DocumentImage[] {
  return assets.flatMap(({ id, mediaType, data }) => {
    const type = toImageType(mediaType);
    return type ? [{ id: String(id), mediaType: type, bytes: data }] : [];
  });
}
