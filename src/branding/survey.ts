/** Plain data that is taken from an open page. Colours, lengths and fonts stand as the browser computed them. */

/** Where in the page something stands. */
export type Region = 'header' | 'navigation' | 'footer' | 'content';

/** A background, seen over the one under it. */
export interface Ground {
  color: string;
  /** Its gradient, as CSS; empty without one. */
  gradient: string;
  /** A picture lies there, whatever its colour is. */
  isPicture: boolean;
  /** Index of the ground under it; its own index for the canvas. */
  under: number;
  /** Square pixels of it that no other ground covers. */
  area: number;
}

/** What a run of text is. */
export type TextRole = 'h1' | 'h2' | 'h3' | 'h4' | 'body' | 'small' | 'link' | 'code' | 'button';

/** Text of one look. */
export interface Text {
  role: TextRole;
  region: Region;
  family: string;
  size: string;
  weight: string;
  lineHeight: string;
  color: string;
  /** Index of its ground. */
  ground: number;
  characters: number;
}

/** How a control looks. */
export interface Control {
  background: string;
  /** As CSS; empty without one. */
  gradient: string;
  color: string;
  /** Empty where there is no border. */
  borderColor: string;
  /** Of the left border. */
  borderStyle: string;
  radius: string;
  /** Empty without one. */
  shadow: string;
  /** Index of the ground that it stands on. */
  ground: number;
  /** Square pixels. */
  area: number;
}

/** Something to press. */
export interface Button extends Control {
  /** Class names and type, in lower case. */
  hints: string;
  region: Region;
}

/** What room is left in and around. */
export type RoomOf = 'section' | 'card' | 'button' | 'input' | 'heading' | 'paragraph' | 'list';

/** How often which room occurs. */
export interface Room {
  of: RoomOf;
  side: 'vertical' | 'horizontal';
  /** CSS pixels. */
  length: number;
  count: number;
}

/** How much room there is around and between things. */
export interface Boxes {
  paddings: Room[];
  margins: Room[];
  /** How often which padding or gap occurs, in CSS pixels. */
  spaces: [number, number][];
  /** How often which radius occurs. */
  radii: [string, number][];
}

/** Icons of one look. */
export interface IconLook {
  style: 'outline' | 'filled';
  color: string;
  /** Index of the ground that they stand on. */
  ground: number;
  count: number;
}

/** Transitions of one kind, as CSS. */
export interface Transition {
  duration: string;
  easing: string;
  count: number;
}

/** How a page is divided. Lengths in CSS pixels; absent where there is nothing of the kind. */
export interface Frame {
  /** How many things of one width stand side by side, and on how many square pixels. */
  columns: [number, number][];
  /** Most that the content is wide, and on how many square pixels. */
  widths: [number, number][];
  headerHeight?: number;
  footerHeight?: number;
}

/** How the page looks. */
export interface Styles extends Boxes {
  /** The first is the canvas. */
  grounds: Ground[];
  texts: Text[];
  buttons: Button[];
  inputs: Control[];
  icons: IconLook[];
  transitions: Transition[];
  frame: Frame;
}

/** A picture that may be the logo. */
export interface Mark {
  kind: 'svg' | 'image' | 'background';
  /** Absolute address, or a data URI. */
  src: string;
  /** Text for those who do not see it. */
  name: string;
  /** Names of it and of what it stands in, in lower case. */
  hints: string;
  region: Region;
  /** Where a press on it leads; empty when nowhere. */
  href: string;
  /** CSS pixels from the top of the page. */
  top: number;
  width: number;
  height: number;
  /** What a drawing is drawn in. */
  colors: string[];
}

/** An icon that the page declares. */
export interface Icon {
  href: string;
  /** As `rel` says it; `manifest` for one of the manifest. */
  rel: string;
  sizes: string;
  type: string;
}

/** What the page says about itself beside its text. */
export interface Declarations {
  /** Custom properties of the root whose names speak of a role, without the dashes. */
  variables: [string, string][];
  icons: Icon[];
  /** Empty without one. */
  themeColor: string;
}

/** Everything that the brand of a page is judged by. */
export interface Survey {
  styles: Styles;
  marks: Mark[];
  declarations: Declarations;
}
