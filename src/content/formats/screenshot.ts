import { z } from 'zod';
import { defineFormat } from './format.ts';

/** Size of the browser window in CSS pixels. */
export const viewport = z.strictObject({
  width: z.int().min(1).max(7680, 'width must be at most 7680'),
  height: z.int().min(1).max(4320, 'height must be at most 4320'),
});

/** A screenshot of the page. */
export const screenshot = defineFormat({
  field: 'screenshot',
  request: z.strictObject({
    type: z.literal('screenshot'),
    fullPage: z.boolean().default(false).describe('capture the whole page instead of the window'),
    quality: z.int().min(1).max(100).optional().describe('return a JPEG of this quality instead of a PNG'),
    viewport: viewport.optional(),
  }),
  value: z.string().describe('URL of the screenshot, which needs no key and is valid for at least 24 hours'),
  keepsData: true,
  cache: ({ viewport, quality }) => (viewport || quality !== undefined ? 'never' : 'normal'),
  cacheVariant: ({ fullPage }) => fullPage,
  isUnique: true,
  async collect(page, { fullPage, quality, viewport: size }) {
    const before = page.viewportSize();
    if (size) await page.setViewportSize(size);
    const type = quality === undefined ? 'png' : 'jpeg';
    const bytes = await page.screenshot({ type, fullPage, ...(quality !== undefined && { quality }) });
    if (size) await page.setViewportSize(before);
    return { bytes, mediaType: `image/${type}` };
  },
  run: (content) => content.files.screenshot,
});
