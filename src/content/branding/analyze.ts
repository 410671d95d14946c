import type { JsonLdItem } from '../html/structured-data/json-ld.ts';
import { analyzeColors, type Colors } from './brand-colors.ts';
import { findLogo, type Images, selectImages } from './brand-images.ts';
import type { BrandingData } from './branding-data.ts';
import { analyzeComponents, type Components } from './components.ts';
import {
  type Animations,
  analyzeAnimations,
  analyzeIcons,
  analyzeLayout,
  type Icons,
  type Layout,
} from './icons-motion-layout.ts';
import { omitUndefined } from './omit-undefined.ts';
import { findOrganization } from './organization.ts';
import { analyzeSpacing, type Spacing } from './spacing.ts';
import { analyzeTypography, type Font, type Typography } from './typography.ts';

/** The brand of a page. */
export interface Branding {
  colorScheme: 'light' | 'dark';
  brandName?: string;
  logo?: string;
  colors: Colors;
  fonts: Font[];
  typography: Typography;
  spacing: Spacing;
  components: Components;
  icons?: Icons;
  images: Images;
  animations?: Animations;
  layout?: Layout;
}

/**
 * Derives the brand of a page from the data that `collect.ts` took from it in the browser.
 * @param options.metadata as `content/html/metadata.ts` reads it
 * @param options.items the page's structured data
 */
export function analyzeBranding(
  data: BrandingData,
  {
    pageUrl,
    metadata,
    items,
  }: { pageUrl: string; metadata: Record<string, string | string[]>; items: JsonLdItem[] },
): Branding {
  const { styles, logoCandidates, declarations } = data;
  const readMetadata = (name: string) => [metadata[name]].flat()[0]?.trim() || undefined;
  const organization = findOrganization(items);
  const { colorScheme, colors } = analyzeColors(data);
  const components = analyzeComponents(styles, colors.primary);
  const { buttonPrimary, buttonSecondary, input } = components;
  const imageMetadata = { pageUrl, organizationLogo: organization.logo, ogImage: readMetadata('ogImage') };
  const images = selectImages(logoCandidates, declarations.icons, imageMetadata);
  const brandName =
    readMetadata('ogSiteName') ??
    organization.name ??
    readMetadata('application-name') ??
    extractBrandName(findLogo(logoCandidates, pageUrl)?.name);
  const details = {
    icons: analyzeIcons(styles),
    animations: analyzeAnimations(styles),
    layout: analyzeLayout(styles),
  };
  return {
    colorScheme,
    ...(brandName && { brandName }),
    ...(images.logo && { logo: images.logo }),
    colors,
    ...analyzeTypography(styles.texts),
    spacing: analyzeSpacing(styles, [buttonPrimary, buttonSecondary, input]),
    components,
    images,
    ...omitUndefined(details),
  };
}

/** Extracts the brand's name from the text of a logo: “Acme logo”, “Logo of Acme”, “Acme – home”. */
const extractBrandName = (text = '') =>
  text
    .replace(/\blogo( of)?\b|\bhome( ?page)?\b/gi, '')
    .replace(/^[\s\p{P}]+|[\s\p{P}]+$/gu, '')
    .trim() || undefined;
