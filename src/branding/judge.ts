import type { Item } from '../html/json-ld.ts';
import { type Colors, colorsOf } from './colors.ts';
import { type Components, componentsOf } from './components.ts';
import { type Animations, animationsOf, type Icons, iconsOf, type Layout, layoutOf } from './details.ts';
import { type Font, type Typography, typographyOf } from './fonts.ts';
import { type Images, imagesOf, logoOf } from './images.ts';
import { organizationOf } from './organization.ts';
import { present } from './present.ts';
import { type Spacing, spacingOf } from './spacing.ts';
import type { Survey } from './survey.ts';

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
 * Judges the brand of a page by what was surveyed while it was open.
 * @param said.metadata as `html/metadata.ts` reads it
 * @param said.items the things that the page describes
 */
export function brandingOf(
  survey: Survey,
  {
    pageUrl,
    metadata,
    items,
  }: { pageUrl: string; metadata: Record<string, string | string[]>; items: Item[] },
): Branding {
  const { styles, marks, declarations } = survey;
  const said = (name: string) => [metadata[name]].flat()[0]?.trim() || undefined;
  const organization = organizationOf(items);
  const { colorScheme, colors } = colorsOf(survey);
  const components = componentsOf(styles, colors.primary);
  const { buttonPrimary, buttonSecondary, input } = components;
  const facts = { pageUrl, organizationLogo: organization.logo, ogImage: said('ogImage') };
  const images = imagesOf(marks, declarations.icons, facts);
  const brandName =
    said('ogSiteName') ??
    organization.name ??
    said('application-name') ??
    nameIn(logoOf(marks, pageUrl)?.name);
  const details = { icons: iconsOf(styles), animations: animationsOf(styles), layout: layoutOf(styles) };
  return {
    colorScheme,
    ...(brandName && { brandName }),
    ...(images.logo && { logo: images.logo }),
    colors,
    ...typographyOf(styles.texts),
    spacing: spacingOf(styles, [buttonPrimary, buttonSecondary, input]),
    components,
    images,
    ...present(details),
  };
}

/** The name of whoever has a logo, by its text: “Acme logo”, “Logo of Acme”, “Acme – home”. */
const nameIn = (text = '') =>
  text
    .replace(/\blogo( of)?\b|\bhome( ?page)?\b/gi, '')
    .replace(/^[\s\p{P}]+|[\s\p{P}]+$/gu, '')
    .trim() || undefined;
