/**
 * Plain data that `page/` collects from an open page. Colours, lengths and fonts are the browser's computed
 * values.
 */

/** The landmark that an element belongs to. */
export type Region = 'header' | 'navigation' | 'footer' | 'content';

/** A background that is painted over the one behind it. */
export interface Background {
  color: string;
  /** CSS gradient; empty without one. */
  gradient: string;
  /** An image covers the background colour. */
  isImage: boolean;
  /** Index of the background behind it; its own index for the canvas. */
  backdropIndex: number;
  /** Square CSS pixels that no other background covers. */
  area: number;
}

/** The role of a run of text. */
export type TextRole = 'h1' | 'h2' | 'h3' | 'h4' | 'body' | 'small' | 'link' | 'code' | 'button';

/** A style of text, with the number of characters that have it. */
export interface StyledText {
  role: TextRole;
  region: Region;
  family: string;
  size: string;
  weight: string;
  lineHeight: string;
  color: string;
  /** Index of the background behind it. */
  backgroundIndex: number;
  characters: number;
}

/** The style of a button or field. */
export interface Control {
  background: string;
  /** CSS gradient; empty without one. */
  gradient: string;
  color: string;
  /** Empty without a border. */
  borderColor: string;
  /** Style of the left border, or of the bottom one where there is no left one; empty without either. */
  borderStyle: string;
  radius: string;
  /** CSS box shadow; empty without one. */
  shadow: string;
  /** Index of the background behind it. */
  backgroundIndex: number;
  /** Square CSS pixels. */
  area: number;
}

/** The style of a button. */
export interface Button extends Control {
  /** Class names and type, in lower case. */
  hints: string;
  region: Region;
}

/** Elements whose paddings and margins are counted. */
export type SpacedElement = 'section' | 'card' | 'button' | 'input' | 'heading' | 'paragraph' | 'list';

/** A padding or margin and how often it occurs. */
export interface SpacingCount {
  element: SpacedElement;
  side: 'vertical' | 'horizontal';
  /** CSS pixels. */
  length: number;
  count: number;
}

/** Paddings, margins, gaps and corner radii of the page. */
export interface BoxStyles {
  paddings: SpacingCount[];
  margins: SpacingCount[];
  /** Paddings and gaps in CSS pixels, with their counts. */
  spaces: [number, number][];
  /** Corner radii as CSS, with their counts. */
  radii: [string, number][];
}

/** A style of icons and how many have it. */
export interface IconStyle {
  style: 'outline' | 'filled';
  color: string;
  /** Index of the background behind them. */
  backgroundIndex: number;
  count: number;
}

/** A transition as CSS and how many elements have it. */
export interface Transition {
  duration: string;
  easing: string;
  count: number;
}

/** Columns, content width and landmark heights. Lengths are CSS pixels. */
export interface PageLayout {
  /** Numbers of equally wide columns, with the area in square CSS pixels that has them. */
  columns: [number, number][];
  /** Maximum widths of content, with the area in square CSS pixels that has them. */
  widths: [number, number][];
  headerHeight?: number;
  footerHeight?: number;
}

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

/** An image that may be the logo. */
export interface LogoCandidate {
  kind: 'svg' | 'image' | 'background';
  /** Absolute URL, or a data URI. */
  src: string;
  /** Text alternative. */
  name: string;
  /** Id, class names and texts of the element and its ancestors, in lower case. */
  hints: string;
  region: Region;
  /** Target of the link around it; empty without one. */
  href: string;
  /** CSS pixels from the top of the page. */
  top: number;
  width: number;
  height: number;
  /** Fill and stroke colours of an SVG. */
  colors: string[];
}

/** An icon that the page or its manifest declares. */
export interface DeclaredIcon {
  href: string;
  /** Value of `rel`; `manifest` for an icon of the manifest. */
  rel: string;
  sizes: string;
  type: string;
}

/** Brand data that the page declares in its head and in custom properties. */
export interface Declarations {
  /** Custom properties of the root element whose names contain a role; names without the leading dashes. */
  variables: [string, string][];
  icons: DeclaredIcon[];
  /** Content of `<meta name=theme-color>`; empty without one. */
  themeColor: string;
}

/** Everything that the brand of a page is derived from. */
export interface BrandingData {
  styles: Styles;
  logoCandidates: LogoCandidate[];
  declarations: Declarations;
}
