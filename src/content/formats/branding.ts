import { z } from 'zod';
import type { BrandingData } from '../branding/branding-data.ts';
import { defineFormat } from './format.ts';

const color = z.string().regex(/^#[0-9a-f]{6}$/);
const hex = color.optional();
const css = z.string().describe('as CSS').optional();
const component = z.object({
  background: z.string().describe('#rrggbb, or transparent'),
  gradient: z.string().optional().describe('as CSS; its first colour is the background'),
  textColor: hex,
  borderColor: hex,
  borderRadius: z.string(),
  shadow: css,
});
const size = z.string().optional();
const family = z.string().optional();
const stack = z.array(z.string()).optional();
const weight = z.number().optional();
const pixels = z.record(z.string(), z.number()).optional();

/** The brand of the page, derived from how the page looks in the browser. */
export const branding = defineFormat({
  field: 'branding',
  request: z.strictObject({ type: z.literal('branding') }),
  value: z
    .object({
      colorScheme: z.enum(['light', 'dark']),
      brandName: z.string().optional(),
      logo: z.string().optional().describe('the same URL as in `images`'),
      colors: z.object({
        primary: hex,
        secondary: hex,
        accent: hex,
        background: color,
        textPrimary: hex,
        textSecondary: hex,
        link: hex,
        success: hex,
        warning: hex,
        error: hex,
      }),
      fonts: z
        .array(z.object({ family: z.string(), role: z.enum(['body', 'heading', 'monospace']) }))
        .describe('sorted by use, the most used first'),
      typography: z.object({
        fontFamilies: z.object({ primary: family, heading: family, code: family }),
        fontStacks: z.object({ body: stack, heading: stack, code: stack }),
        fontSizes: z.object({ h1: size, h2: size, h3: size, body: size, small: size }),
        lineHeights: z.object({ heading: size, body: size }),
        fontWeights: z.object({ light: weight, regular: weight, medium: weight, bold: weight }),
      }),
      spacing: z.object({
        baseUnit: z.number().optional().describe('in pixels; paddings and gaps are multiples of it'),
        borderRadius: css,
        padding: pixels.describe('usual padding in pixels of buttons, fields, cards and sections'),
        margins: pixels.describe('usual margin in pixels below headings, paragraphs, lists and sections'),
      }),
      components: z.object({
        buttonPrimary: component.optional(),
        buttonSecondary: component.optional(),
        input: component.optional(),
      }),
      images: z.object({
        logo: z.string().optional().describe('a URL, or a data URI of an inline SVG'),
        favicon: z.string().optional(),
        ogImage: z.string().optional(),
      }),
      icons: z.object({ style: z.enum(['outline', 'filled']), primaryColor: hex }).optional(),
      animations: z.object({ transitionDuration: z.string(), easing: z.string() }).optional(),
      layout: z
        .object({
          grid: z.object({ columns: z.number().optional(), maxWidth: size }).optional(),
          headerHeight: size,
          footerHeight: size,
        })
        .optional(),
    })
    .meta({ id: 'Branding' })
    .describe('fields that the page does not show are left out and listed in `warning`'),
  // Branding is measured in the open page, so a stored copy cannot be used.
  cache: 'never',
  async collectData(page): Promise<BrandingData | undefined> {
    const { collectBrandingData } = await import('../branding/collect.ts');
    const data = await collectBrandingData(page.evaluate);
    if (!data) page.warn('branding was left out, because the response is not an HTML page.');
    return data;
  },
  async run(content, _request, warn) {
    // The value was returned by `collectData` above and is passed on unchanged.
    const data = content.snapshot.collectedData?.branding as BrandingData | undefined;
    if (!data) return undefined;
    const { metadata, structuredData, snapshot } = content;
    const [{ analyzeBranding }, { listMissingFields }, { itemsOf }] = await Promise.all([
      import('../branding/analyze.ts'),
      import('../branding/missing-fields.ts'),
      import('../html/structured-data/structured-data.ts'),
    ]);
    const items = itemsOf(structuredData);
    const found = analyzeBranding(data, { pageUrl: snapshot.url, metadata, items });
    const missing = listMissingFields(found);
    if (missing.length) warn(`branding lacks the fields that the page does not show: ${missing.join(', ')}.`);
    warn('branding has no personality, because it requires a language model and none is configured.');
    return found;
  },
});
