import type { DocumentImage } from '../document.ts';
import type { Asset } from './model.ts';

/** The assets of a document that are images, by the numbers to which its blocks refer. */
export function toImages(assets: readonly Asset[]): DocumentImage[] {
  return assets
    .filter(({ mediaType }) => mediaType.startsWith('image/'))
    .map(({ id, mediaType, data }) => ({ id: String(id), mediaType, bytes: data }));
}
