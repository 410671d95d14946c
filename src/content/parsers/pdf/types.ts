import type { Box } from './boxes.ts';

/** The style of text. Words with the same font and size share one object. */
export interface TextStyle {
  /** Font size in points, after all transformations. */
  size: number;
  bold: boolean;
  italic: boolean;
  monospaced: boolean;
}

/** Text without white space and its position on the page. */
export interface Word extends Box {
  text: string;
  style: TextStyle;
  /** Number of the text run, which the file draws as a unit on one line. */
  run: number;
  /** Whether the run has a space between the word and the one before it. */
  isSpaced?: boolean;
  /** Whether it runs from right to left on a page whose text runs from left to right. */
  isEmbedded?: boolean;
  /** Whether it is a line of dots that have spaces between them. */
  isLeader?: boolean;
  /** Numbers of characters at its beginning and end that do not have its style. */
  edges?: [number, number];
  /** URL of the link annotation that covers the word. */
  href?: string;
  /** Marked-content identifier, by which the tag tree refers to the text. */
  mcid?: number;
  /** How sure OCR is of the word, from 0 to 1; absent for text of the file. */
  confidence?: number;
}

/**
 * Words on one baseline without a wide gap between them: a line of a column, or a cell's part of a table row.
 */
export interface Segment extends Box {
  words: Word[];
  /** Number of characters. */
  length: number;
}

/**
 * A horizontal or vertical stroke, or the side of a filled rectangle. `at` is y for horizontal rules, else x.
 */
export interface Rule {
  at: number;
  from: number;
  to: number;
}

export interface Rules {
  horizontal: Rule[];
  vertical: Rule[];
}

/** An image on a page. */
export interface Figure extends Box {
  /** Unique in the document; the `src` of the `img` element is `document-image:` and this identifier. */
  id: string;
  /** `jpg` or `png`. */
  format: string;
  bytes: Uint8Array;
  alt?: string;
}

/** A note, comment or highlight with text by a reader of the document. */
export interface Annotation extends Box {
  text: string;
  author?: string;
}

export interface FormField extends Box {
  type: 'text' | 'checkbox' | 'radio' | 'choice' | 'signature';
  value: string;
  /** Whether a checkbox or radio button is selected. */
  checked: boolean;
  /** Whether the page only draws it, so that a square without a label is none. */
  isDrawn?: boolean;
}

/** A node of the tag tree (ISO 32000-1, 14.7). */
export interface Tag {
  /** Standard structure type, such as `P` or `H1`. */
  type: string;
  /** Marked-content identifiers of the text in the tag, without its children. */
  mcids: number[];
  /** Text in the place of a figure. */
  alt?: string;
  /** How many columns and rows a cell of a table takes, if they are more than one. */
  columnSpan?: number;
  rowSpan?: number;
  children: Tag[];
}

/** Numbers of the paths that a page draws. */
interface PathCounts {
  all: number;
  /** Filled ones with curves, as most letters have them. */
  curved: number;
}

/** A page as liteparse or PDF.js read it, upright and in points from the top left corner. */
export interface SourcePage {
  /** Counted from 1. */
  number: number;
  width: number;
  height: number;
  /** By how many degrees the page was turned counter-clockwise to be upright; absent for none. */
  turnedBy?: 90 | 180 | 270;
  words: Word[];
  /** Words in another direction than most, such as a stamp on the margin. */
  turnedWords?: Word[];
  rules: Rules;
  /** Paths draw rules, charts, and letters without a font. */
  paths: PathCounts;
  /** Small shapes that are as wide as high, as which some programs draw the bullets of lists. */
  dots?: Box[];
  figures: Figure[];
  annotations: Annotation[];
  fields: FormField[];
  tags: Tag[];
}

/** A document as liteparse or PDF.js read it. */
export interface SourceDocument {
  totalPages: number;
  pages: SourcePage[];
  /** Numbers of the pages that could not be read. */
  failedPages: number[];
}

export interface ReadOptions {
  /** Maximum number of pages to read, beginning with the first one. */
  maxPages: number;
  /** Whether to extract the bytes of images. */
  images: boolean;
  password?: string;
}

/** The words of one baseline in reading order. */
export interface Line extends Box {
  words: Word[];
  /** The most frequent style by characters. */
  style: TextStyle;
}

export interface TableCell {
  lines: Line[];
  columnSpan: number;
  rowSpan: number;
}

/** Roles of blocks that belong to the page rather than to its content. */
export type PageRole = 'header' | 'footer' | 'page-number';

interface BlockBase extends Box {
  page: number;
  role?: PageRole;
  /** Whether the text of a running head stands nowhere else, so that it is content. */
  isOnlyPlace?: boolean;
}

export interface PdfTextBlock extends BlockBase {
  kind: 'paragraph' | 'heading' | 'code' | 'caption' | 'footnote';
  lines: Line[];
  /** Level of a heading, 1 to 6. */
  level?: number;
  /** Mark of a footnote, such as `3` or `*`. */
  mark?: string;
  rightToLeft?: boolean;
  /** Whether the text runs in another direction than that of the page. */
  isTurned?: boolean;
}

export interface PdfListItem extends BlockBase {
  kind: 'item';
  lines: Line[];
  /** The bullet or number as printed, such as `•` or `2.`. */
  marker: string;
  /** Depth of nesting, from 0. */
  depth: number;
  ordered: boolean;
}

export interface TableBlock extends BlockBase {
  kind: 'table';
  rows: TableCell[][];
  /** Boundaries of the columns in points, by which the parts of a table on consecutive pages are matched. */
  columns: number[];
  /** Page of the last part of a table that continues over several pages. */
  lastPage?: number;
  /** Whether the cells were found by the rules around them. */
  ruled: boolean;
  /** Whether the first cell of a row is the one on the right. */
  rightToLeft?: boolean;
}

interface FigureBlock extends BlockBase {
  kind: 'figure';
  figure: Figure;
}

interface AnnotationBlock extends BlockBase {
  kind: 'annotation';
  annotation: Annotation;
}

export type Block = PdfTextBlock | PdfListItem | TableBlock | FigureBlock | AnnotationBlock;
