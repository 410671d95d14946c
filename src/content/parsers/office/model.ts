import type { DocumentType } from '../document.ts';

/** Types of documents with text, presentations and e-books. */
export type OfficeType = Extract<
  DocumentType,
  'docx' | 'doc' | 'odt' | 'rtf' | 'pptx' | 'ppt' | 'odp' | 'epub'
>;

/**
 * The document model of anydoc. Its own types are `const enum`s, whose values type stripping cannot read, so
 * they are repeated here as unions of the same strings.
 */
export interface OfficeModel {
  blocks: OfficeBlock[];
  /** Bodies of footnotes and endnotes. */
  notes: Note[];
  assets: Asset[];
}

export interface Asset {
  id: number;
  mediaType: string;
  data: Uint8Array;
}

interface Note {
  id: string;
  blocks: OfficeBlock[];
}

/** How a paragraph is written in its file; a part of `SourceParagraph`. */
export interface WrittenParagraph {
  runs: { text: string; code?: boolean; hidden?: boolean }[];
  layout?: { indent: number; firstLine: number };
  blankLinesBefore?: number;
}

export interface OfficeBlock {
  kind: 'heading' | 'paragraph' | 'list' | 'table' | 'blockQuote' | 'codeBlock' | 'rule';
  /** Level of a heading, 1 to 6. */
  level?: number;
  /**
   * Left indent of a paragraph that is an item of a list, in twips. Not from anydoc; see
   * `source-paragraphs.ts`.
   */
  indent?: number;
  /** Whether the label of an item of a list is a checked or an empty box. Not from anydoc. */
  isChecked?: boolean;
  /** The paragraph of the file. Not from anydoc; only known for some formats. */
  source?: WrittenParagraph;
  /** Identifier of a heading to which links lead. */
  anchor?: string;
  /** Content of a heading or paragraph. */
  content?: Inline[];
  list?: List;
  table?: Table;
  /** Content of a block quote. */
  blocks?: OfficeBlock[];
  /** Programming language of a code block. */
  lang?: string;
  /** Text of a code block. */
  text?: string;
}

export interface List {
  marker: 'bullet' | 'decimal' | 'lowerAlpha' | 'upperAlpha' | 'lowerRoman' | 'upperRoman';
  /** Number of the first item. */
  start: number;
  items: ListItem[];
}

export interface ListItem {
  blocks: OfficeBlock[];
  /** State of the checkbox, if the item has one. */
  checked?: boolean;
  /** Number as printed, where position and marker do not give it, such as `1-a)`. */
  markerLabel?: string;
}

export interface Table {
  /** Every position of the grid, including those that a cell with spans covers. */
  grid: { kind: 'origin' | 'covered'; cell?: Cell }[][];
  headerRows: number;
  /** `layout` for text boxes and tables that only position content. */
  kind: 'data' | 'layout';
}

interface Cell {
  blocks: OfficeBlock[];
  colSpan: number;
  rowSpan: number;
}

export interface Style {
  bold: boolean;
  italic: boolean;
  strike: boolean;
  code: boolean;
  /** Not from anydoc; see `source-paragraphs.ts`. */
  position?: 'super' | 'sub';
}

export interface Inline {
  kind: 'text' | 'link' | 'image' | 'anchor' | 'noteRef' | 'lineBreak';
  text?: string;
  style?: Style;
  /** Content of a link. */
  content?: Inline[];
  target?: { kind: 'external' | 'relative' | 'anchor'; value: string };
  /** Alternative text of an image. */
  alt?: string;
  source?: { kind: 'external' | 'asset' | 'unavailable'; url?: string; assetId?: number };
  anchor?: string;
  noteId?: string;
}
