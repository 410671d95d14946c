import { convertToHtml, images } from 'mammoth';
import type { Asset } from './model.ts';

/** Converts a docx file with mammoth, which reads some files that anydoc rejects. */
export async function convertWithMammoth(bytes: Uint8Array): Promise<{ html: string; images: Asset[] }> {
  const assets: Asset[] = [];
  const convertImage = images.imgElement(async (image) => {
    const id = assets.length;
    assets.push({ id, mediaType: image.contentType, data: await image.readAsBuffer() });
    return { src: `office-image:${id}` };
  });
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { value } = await convertToHtml({ buffer }, { convertImage, externalFileAccess: false });
  return { html: value, images: assets };
}
