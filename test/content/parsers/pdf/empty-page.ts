import type { SourcePage } from '../../../../src/content/parsers/pdf/types.ts';

/** A page of a PDF in the size Letter, with nothing on it. */
export const EMPTY_PAGE: SourcePage = {
  number: 1,
  width: 612,
  height: 792,
  words: [],
  rules: { horizontal: [], vertical: [] },
  paths: { all: 0, curved: 0 },
  figures: [],
  annotations: [],
  fields: [],
  tags: [],
};
