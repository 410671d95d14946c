import type { Box } from './boxes.ts';

/** How text is set. Runs of one font and size share one object. */
export interface TextStyle {
  /** Font size in points as displayed. */
  size: number;
  bold: boolean;
  italic: boolean;
  monospaced: boolean;
}

/** Text without white space, at its place on the page. */
export interface Word extends Box {
  text: string;
  style: TextStyle;
  /** Words with one number were drawn together, on one line. */
  run: number;
  /** Target of the link annotation over the word. */
  href?: string;
  /** Marked-content identifier, by which the tag tree refers to the text. */
  mcid?: number;
}

/** A horizontal or vertical stroke, or the side of a filled rectangle. `at` is y for horizontal and x for vertical rules. */
export interface Rule {
  at: number;
  from: number;
  to: number;
}

export interface Rules {
  horizontal: Rule[];
  vertical: Rule[];
}

/** A picture on a page. */
export interface Figure extends Box {
  /** Unique in the document; the `src` of the `img` element is `pdf-image:` and this identifier. */
  id: string;
  /** `jpg` or `png`. */
  format: string;
  bytes: Uint8Array;
  alt?: string;
}

/** A note, comment or highlight with text of its own. */
export interface Annotation extends Box {
  subtype: string;
  text: string;
  author?: string;
}

export interface FormField extends Box {
  type: 'text' | 'checkbox' | 'radio' | 'choice' | 'signature';
  name: string;
  value: string;
  checked: boolean;
}

/** A node of the tag tree (ISO 32000-1, 14.7). */
export interface Tag {
  /** Standard structure type, such as `P` or `H1`. */
  type: string;
  mcids: number[];
  children: Tag[];
  alt?: string;
  columnSpan?: number;
  rowSpan?: number;
}

/** What a reader gives of one page, upright and in points from the top left corner. */
export interface SourcePage {
  number: number;
  width: number;
  height: number;
  words: Word[];
  /** Words that run in another direction than most, such as stamps at the side of a page. */
  turnedWords?: Word[];
  rules: Rules;
  figures: Figure[];
  annotations: Annotation[];
  fields: FormField[];
  tags: Tag[];
  /** Share of the page that pictures cover, where known. */
  imageCoverage?: number;
}

/** What a reader gives of a document. */
export interface SourceDocument {
  totalPages: number;
  pages: SourcePage[];
  /** Numbers of the pages that could not be read. */
  failedPages: number[];
}

export interface ReadOptions {
  /** Most pages to read, from the first one. */
  maxPages: number;
  /** Whether to extract the bytes of pictures. */
  images: boolean;
  password?: string;
}

/** Words of one baseline in reading order. */
export interface Line extends Box {
  words: Word[];
  /** The prevailing style. */
  style: TextStyle;
}

export interface TableCell {
  lines: Line[];
  columnSpan: number;
  rowSpan: number;
  header?: boolean;
}

/** The role that a block has on the page besides its kind. */
export type PageRole = 'header' | 'footer' | 'page-number';

interface BlockBase extends Box {
  page: number;
  role?: PageRole;
}

export interface TextBlock extends BlockBase {
  kind: 'paragraph' | 'heading' | 'code' | 'caption' | 'footnote' | 'quote';
  lines: Line[];
  /** Level of a heading, 1 to 6. */
  level?: number;
  /** Mark of a footnote, as `3` or `*`. */
  mark?: string;
  rightToLeft?: boolean;
}

export interface ListItem extends BlockBase {
  kind: 'item';
  lines: Line[];
  /** The mark as printed, as `•` or `2.`. */
  marker: string;
  /** Depth of nesting, from 0. */
  depth: number;
  ordered: boolean;
}

export interface TableBlock extends BlockBase {
  kind: 'table';
  rows: TableCell[][];
  /** Left edges of the columns, by which parts on consecutive pages are matched. */
  columns: number[];
  /** Page of the last part of a table that page breaks divide. */
  lastPage?: number;
  /** Whether rules enclose the cells. */
  ruled: boolean;
}

export interface FigureBlock extends BlockBase {
  kind: 'figure';
  figure: Figure;
}

export interface FieldBlock extends BlockBase {
  kind: 'field';
  field: FormField;
}

export interface AnnotationBlock extends BlockBase {
  kind: 'annotation';
  annotation: Annotation;
}

export type Block = TextBlock | ListItem | TableBlock | FigureBlock | FieldBlock | AnnotationBlock;
