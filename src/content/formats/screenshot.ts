import { z } from 'zod';
import { bounded } from '../../json/bounded.ts';
import { cssSelector } from './css-selector.ts';
import { defineFormat } from './format.ts';

/** The most selectors of what a picture leaves blank. */
export const MAX_MASKS = 100;
const MAX_MASK_CHARACTERS = 20_000;

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
    mask: bounded(z.array(cssSelector), { entries: MAX_MASKS, characters: MAX_MASK_CHARACTERS })
      .optional()
      .describe('CSS selectors of elements that the picture leaves blank, such as advertisements'),
    still: z
      .boolean()
      .optional()
      .describe(
        'show animations of style sheets at their end, or at their beginning where they have no end, and no text cursor, so that two pictures of a page can be compared',
      ),
  }),
  value: z.string().describe('URL of the screenshot, which needs no key and is valid for at least 24 hours'),
  keepsData: true,
  cache: ({ viewport, quality, mask, still }) =>
    viewport || quality !== undefined || mask?.length || still ? 'never' : 'normal',
  cacheVariant: ({ fullPage }) => fullPage,
  isUnique: true,
  async collect(page, { fullPage, quality, viewport: size, mask, still }) {
    const before = page.viewportSize();
    if (size) await page.setViewportSize(size);
    const type = quality === undefined ? 'png' : 'jpeg';
    const options = { type, fullPage, mask, still, ...(quality !== undefined && { quality }) } as const;
    const bytes = await page.screenshot(options);
    if (size) await page.setViewportSize(before);
    return { bytes, mediaType: `image/${type}` };
  },
  run: (content) => content.files.screenshot,
});
