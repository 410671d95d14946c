import { z } from 'zod';

/**
 * Plain data that `page/` collects from an open page. Colours, lengths and fonts are the browser's computed
 * values.
 */

/** The longest text that comes from the page, in characters, except for the sources of images. */
export const MAX_TEXT_LENGTH = 1_000;
/** The longest URL or data URI of an image, in characters. */
export const MAX_SOURCE_LENGTH = 100_000;

const text = z.string().max(MAX_TEXT_LENGTH);
const source = z.string().max(MAX_SOURCE_LENGTH);
const count = z.int();
/** Index of a background in the list of all. */
const backgroundIndex = z.int();
const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).max(1_000);

const Region = z.enum(['header', 'navigation', 'footer', 'content']);
/** The landmark that an element belongs to. */
export type Region = z.infer<typeof Region>;

const Background = z.object({
  color: text,
  /** CSS gradient; empty without one. */
  gradient: text,
  /** An image covers the background colour. */
  isImage: z.boolean(),
  /** Index of the background behind it; its own index for the canvas. */
  backdropIndex: backgroundIndex,
  /** Square CSS pixels that no other background covers. */
  area: z.number(),
});
/** A background that is painted over the one behind it. */
export type Background = z.infer<typeof Background>;
export const Backgrounds = listOf(Background);

const TextRole = z.enum(['h1', 'h2', 'h3', 'h4', 'body', 'small', 'link', 'code', 'button']);
/** The role of a run of text. */
export type TextRole = z.infer<typeof TextRole>;

const StyledText = z.object({
  role: TextRole,
  region: Region,
  family: text,
  size: text,
  weight: text,
  lineHeight: text,
  color: text,
  /** The background behind it. */
  backgroundIndex,
  characters: count,
});
/** A style of text, with the number of characters that have it. */
export type StyledText = z.infer<typeof StyledText>;
export const StyledTexts = listOf(StyledText);

const Control = z.object({
  background: text,
  /** CSS gradient; empty without one. */
  gradient: text,
  color: text,
  /** Empty without a border. */
  borderColor: text,
  /** Style of the left border, or of the bottom one where there is no left one; empty without either. */
  borderStyle: text,
  radius: text,
  /** CSS box shadow; empty without one. */
  shadow: text,
  /** The background behind it. */
  backgroundIndex,
  /** Square CSS pixels. */
  area: z.number(),
});
/** The style of a button or field. */
export type Control = z.infer<typeof Control>;

const Button = Control.extend({
  /** Class names and type, in lower case. */
  hints: text,
  region: Region,
});
/** The style of a button. */
export type Button = z.infer<typeof Button>;
export const Controls = z.object({ buttons: listOf(Button), inputs: listOf(Control) });

const SpacedElement = z.enum(['section', 'card', 'button', 'input', 'heading', 'paragraph', 'list']);
/** Elements whose paddings and margins are counted. */
export type SpacedElement = z.infer<typeof SpacedElement>;

const SpacingCount = z.object({
  element: SpacedElement,
  side: z.enum(['vertical', 'horizontal']),
  /** CSS pixels. */
  length: z.number(),
  count,
});
/** A padding or margin and how often it occurs. */
export type SpacingCount = z.infer<typeof SpacingCount>;

export const BoxStyles = z.object({
  paddings: listOf(SpacingCount),
  margins: listOf(SpacingCount),
  /** Paddings and gaps in CSS pixels, with their counts. */
  spaces: listOf(z.tuple([z.number(), count])),
  /** Corner radii as CSS, with their counts. */
  radii: listOf(z.tuple([text, count])),
});
/** Paddings, margins, gaps and corner radii of the page. */
export type BoxStyles = z.infer<typeof BoxStyles>;

const IconStyle = z.object({
  style: z.enum(['outline', 'filled']),
  color: text,
  /** The background behind them. */
  backgroundIndex,
  count,
});
/** A style of icons and how many have it. */
export type IconStyle = z.infer<typeof IconStyle>;
export const IconStyles = listOf(IconStyle);

const Transition = z.object({ duration: text, easing: text, count });
/** A transition as CSS and how many elements have it. */
export type Transition = z.infer<typeof Transition>;
export const Transitions = listOf(Transition);

export const PageLayout = z.object({
  /** Numbers of equally wide columns, with the area in square CSS pixels that has them. */
  columns: listOf(z.tuple([count, z.number()])),
  /** Maximum widths of content, with the area in square CSS pixels that has them. */
  widths: listOf(z.tuple([z.number(), z.number()])),
  headerHeight: z.number().optional(),
  footerHeight: z.number().optional(),
});
/** Columns, content width and landmark heights. Lengths are CSS pixels. */
export type PageLayout = z.infer<typeof PageLayout>;

/** All computed styles of the page. */
export interface Styles extends BoxStyles {
  /** The canvas comes first. */
  backgrounds: Background[];
  texts: StyledText[];
  buttons: Button[];
  inputs: Control[];
  icons: IconStyle[];
  transitions: Transition[];
  layout: PageLayout;
}

const LogoCandidate = z.object({
  kind: z.enum(['svg', 'image', 'background']),
  /** Absolute URL, or a data URI. */
  src: source,
  /** Text alternative. */
  name: text,
  /** Id, class names and texts of the element and its ancestors, in lower case. */
  hints: z.string().max(5 * MAX_TEXT_LENGTH),
  region: Region,
  /** Target of the link around it; empty without one. */
  href: text,
  /** CSS pixels from the top of the page. */
  top: z.number(),
  width: z.number(),
  height: z.number(),
  /** Fill and stroke colours of an SVG. */
  colors: listOf(text),
});
/** An image that may be the logo. */
export type LogoCandidate = z.infer<typeof LogoCandidate>;
/** With the index of each among the visible elements. */
export const LogoCandidates = listOf(LogoCandidate.extend({ index: z.int() }));

/** An inline SVG as a document of its own. */
export const Drawing = z.object({ source, colors: LogoCandidate.shape.colors });

const DeclaredIcon = z.object({
  href: source,
  /** Value of `rel`; `manifest` for an icon of the manifest. */
  rel: text,
  sizes: text,
  type: text,
});
/** An icon that the page or its manifest declares. */
export type DeclaredIcon = z.infer<typeof DeclaredIcon>;

export const Declarations = z.object({
  /** Custom properties of the root element whose names contain a role; names without the leading dashes. */
  variables: listOf(z.tuple([text, text])),
  icons: listOf(DeclaredIcon),
  /** Content of `<meta name=theme-color>`; empty without one. */
  themeColor: text,
});
/** Brand data that the page declares in its head and in custom properties. */
export type Declarations = z.infer<typeof Declarations>;

/** Everything that the brand of a page is derived from. */
export interface BrandingData {
  styles: Styles;
  logoCandidates: LogoCandidate[];
  declarations: Declarations;
}
