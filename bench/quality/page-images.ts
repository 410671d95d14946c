import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { LiteParse } from '@llamaindex/liteparse';

/** The resolution of a usual scan. */
const DPI = 200;

/**
 * Renders the first page of PDFs as PNG images.
 * @param directory for the images
 * @returns the path of each image
 */
export async function renderPages(files: readonly string[], directory: string): Promise<string[]> {
  const renderer = new LiteParse({ ocrEnabled: false, quiet: true, dpi: DPI });
  const images: string[] = [];
  for (const file of files) {
    const [page] = await renderer.screenshot(await readFile(file), [1]);
    if (!page) throw new Error(`The first page of ${file} could not be rendered.`);
    const image = path.join(directory, `${path.basename(file, '.pdf')}.png`);
    await writeFile(image, page.imageBuffer);
    images.push(image);
  }
  return images;
}
