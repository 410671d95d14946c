import type { Inline } from '../model.ts';

/** Properties of characters that anydoc loses. */
export interface CharacterMarks {
  code?: boolean;
  position?: 'super' | 'sub';
  /** Whether readers of the document do not see the text. */
  hidden?: boolean;
  /** Where a click on the text leads. */
  href?: string;
}

export interface Run extends CharacterMarks {
  text: string;
}

/** A paragraph as it is in the file, with the properties that anydoc loses. */
export interface SourceParagraph {
  runs: Run[];
  /** 1 to 6; absent for ordinary text. */
  headingLevel?: number;
  /**
   * The left indent of an item of a list, in twips; absent for other paragraphs and where it is not known.
   */
  listIndent?: number;
  /** Whether the label of an item of a list is a checked or an empty box; absent for other labels. */
  isChecked?: boolean;
  /** Indents in twips: of all lines, and of the first one in relation to that. */
  layout?: { indent: number; firstLine: number };
  /** Number of empty paragraphs before this one. */
  blankLinesBefore?: number;
  /** Whether the paragraph is a horizontal line instead of text. */
  isRule?: boolean;
  /** The paragraphs of the text boxes that are anchored in this one, which anydoc leaves out. */
  textBoxes?: string[];
  /** The number of the slide, if that is hidden. */
  hiddenSlide?: number;
}

/** Whether a character is neither white space nor a hyphen that is seen only at the end of a line. */
export const isVisible = (character: string) => !/[\s\u00ad]/.test(character);

/** Text by which paragraphs are compared: its visible characters, with one character for all hyphens. */
export const visibleText = (text: string) => text.replace(/[\s\u00ad]+/g, '').replaceAll('\u2011', '-');

/** The text of inline content, that of links included. */
export function plainText(content: readonly Inline[]): string {
  return content.map(({ text = '', content = [] }) => text + plainText(content)).join('');
}
