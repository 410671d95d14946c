import type { ParsedPage, TextItem } from '@llamaindex/liteparse';

/** Height of a line in most fonts, as a multiple of the font size. */
export const LINE_HEIGHT = 1.05;
/** Range of the height of a line in fonts whose size is in points, as a multiple of the font size. */
const POINTS = { least: 0.86, most: 1.35 };
/**
 * Up to here, the heights of lines do not tell whether a font has low letters or its size is not in points.
 */
const DOUBTFUL = 0.96;
/** The same where any program may have written the file, whose lines in pixels of CSS can be higher. */
const DOUBTFUL_OF_ANY = 1.03;

/** The font size, where known after the text matrix is applied, but before that of the page. */
export const fontSizeOf = ({ fontHeight, fontSize }: TextItem) => fontHeight ?? fontSize;

/**
 * The factor that converts the font sizes of PDFium to points. PDFium ignores the transformation matrix of
 * the page.
 * @returns undefined if the sizes are not usable because the document scales its text by the text matrix
 */
export function fontScale(items: readonly TextItem[]): number | undefined {
  const ratios = heightRatios(items);
  if (ratios.length === 0) return items.some((item) => (fontSizeOf(item) ?? 1) > 3) ? 1 : undefined;
  const ratio = ratios[ratios.length >> 1] as number;
  if (ratio > POINTS.least && ratio < POINTS.most) return 1;
  const spread =
    (ratios[Math.floor(ratios.length * 0.9)] as number) / (ratios[Math.floor(ratios.length * 0.1)] as number);
  return spread > 1.3 ? undefined : ratio / LINE_HEIGHT;
}

/** The heights of runs as multiples of their font sizes, in ascending order. */
function heightRatios(items: readonly TextItem[]): number[] {
  const ratios: number[] = [];
  for (const item of items) {
    const fontSize = fontSizeOf(item);
    if (fontSize && !item.rotation && item.text.length > 2) ratios.push(item.height / fontSize);
  }
  return ratios.sort((a, b) => a - b);
}

/**
 * The page by whose metadata the font sizes of a document can be measured, if their heights leave it open: a
 * browser prints in pixels of CSS, so pages in different fonts would get sizes that differ from each other.
 * @param options.isUnknown whether the program that wrote the file may be another one than a browser
 * @returns undefined if the heights of the lines suffice
 */
export function pageToMeasure(
  pages: readonly ParsedPage[],
  { isUnknown = false }: { isUnknown?: boolean } = {},
): number | undefined {
  const page = pages.find(({ textItems }) => heightRatios(textItems).length > 0);
  if (!page) return undefined;
  const ratios = heightRatios(page.textItems);
  const ratio = ratios[ratios.length >> 1] as number;
  const isClear = isUnknown
    ? ratio < POINTS.least || ratio > DOUBTFUL_OF_ANY
    : pages.length === 1 && (ratio < POINTS.least || ratio > DOUBTFUL);
  return isClear ? undefined : page.pageNum;
}

/** Minimum share of the runs that agree on a factor, and how far they may be from each other. */
const MIN_AGREEING = 0.6;
const MAX_DEVIATION = 0.02;

/**
 * The factor that converts the font sizes of a document to points, if most runs of a page with metadata agree
 * on it. Runs with code in the middle can have the size of one font and the height of another one.
 */
export function measuredScale(page: ParsedPage | undefined): number | undefined {
  const scales = (page?.textItems ?? [])
    .flatMap(({ fontHeight, fontSize }) => (fontHeight && fontSize ? fontHeight / fontSize : []))
    .sort((a, b) => a - b);
  const usual = scales[scales.length >> 1];
  if (!usual) return undefined;
  const agreeing = scales.filter((scale) => Math.abs(scale - usual) < MAX_DEVIATION * usual).length;
  return agreeing >= MIN_AGREEING * scales.length ? usual : undefined;
}
