import {
  type DocumentAnnotation,
  type ExtractedImage,
  LiteParse,
  type LiteParseConfig,
  type FormField as NativeField,
  type ParsedPage,
  type StructureTreeElement,
  type TextItem,
} from '@llamaindex/liteparse';
import { toBuffer } from '../../../source-text.ts';
import { type Box, containsCenter } from '../boxes.ts';
import { toPdfError } from '../errors.ts';
import { markEmbedded } from '../page/text-direction.ts';
import type {
  Annotation,
  Figure,
  FormField,
  ReadOptions,
  SourceDocument,
  SourcePage,
  Tag,
  Word,
} from '../types.ts';
import { withSeparateSpans } from './actual-text.ts';
import { withAlternativeTexts } from './alternative-texts.ts';
import { findCharacterMaps } from './character-maps.ts';
import { findDrawnBoxes } from './drawn-boxes.ts';
import { findPitches } from './fixed-pitch.ts';
import { measuredScale, pageToMeasure } from './font-scale.ts';
import { linkWords } from './links.ts';
import { parseWithoutCopies } from './native-parse.ts';
import { parseInRanges } from './page-ranges.ts';
import { restoreCharacters, withPlaceholders } from './replaced-characters.ts';
import { uprightPage } from './rotation.ts';
import { findRules } from './rules.ts';
import { levelSlantedText } from './slanted-text.ts';
import { type FontMeasures, toWords } from './text-items.ts';
import { joinTurned } from './turned-text.ts';

/** Disables OCR, for which liteparse would download language data. */
export const OFFLINE: Partial<LiteParseConfig> = {
  ocrEnabled: false,
  quiet: true,
  continueOnPageError: true,
  numWorkers: 1,
};

/**
 * Reads a PDF with liteparse (PDFium). A process must not read two documents at the same time.
 * @throws PdfError `password` if the document needs one, `damaged` if PDFium rejects the file
 */
export async function readWithLiteParse(bytes: Uint8Array, options: ReadOptions): Promise<SourceDocument> {
  const received = toBuffer(bytes);
  const maps = findCharacterMaps(received);
  const { file: named, replaced, fonts } = withPlaceholders(received, maps);
  const file = withSeparateSpans(named, maps);
  // Marked-content identifiers, annotations and form fields take time to extract, and most documents have
  // none.
  const isTagged = file.includes('/StructTreeRoot');
  // Names inside compressed objects cannot be found by this search, so files with such objects may have
  // anything.
  const isCompressed = file.includes('/ObjStm');
  const mayHave = (name: string) => isCompressed || file.includes(name);
  const config = {
    ...OFFLINE,
    maxPages: options.maxPages,
    emitWordBoxes: true,
    extractLinks: false,
    extractAnnotations: mayHave('/Annots'),
    extractFormFields: mayHave('/AcroForm'),
    extractStructureTree: isTagged || isCompressed,
    extractTextMetadata: isTagged,
    extractVectorGraphics: true,
    extractImages: options.images,
    ...(options.password ? { password: options.password } : {}),
  };
  let result = await parse(file, config);
  let scale: number | undefined;
  if (!isTagged && result.pages.some((page) => hasUnitFonts(page) || hasTags(page)))
    result = await parse(file, { ...config, extractTextMetadata: true });
  else if (!isTagged && (isCompressed || file.includes(BROWSER)))
    scale = await measureScale(file, config, pageToMeasure(result.pages, { isUnknown: isCompressed }));
  restoreCharacters(result.pages, replaced);
  levelSlantedText(result.pages);
  const pitches = findPitches(result.pages);
  const images = Map.groupBy(result.images, ({ page }) => page);
  const measures = { scale, pitches, told: fonts };
  return {
    totalPages: result.totalPages,
    pages: result.pages.map((page) => {
      const source = toSourcePage(page, images.get(page.pageNum) ?? [], measures);
      // A long document is in memory once, not twice.
      page.textItems = [];
      return source;
    }),
    failedPages: result.pageErrors.map(({ pageNum }) => pageNum),
  };
}

/**
 * The library by which Chromium writes PDFs, as files name it. Files with compressed objects do not tell their
 * writer, which may be WeasyPrint, for example.
 */
const BROWSER = 'Skia/PDF';

/** The factor that converts the font sizes of a file to points, see {@link pageToMeasure}. */
async function measureScale(
  file: Buffer,
  config: Partial<LiteParseConfig>,
  number: number | undefined,
): Promise<number | undefined> {
  if (number === undefined) return undefined;
  const measured = await parse(file, {
    ...OFFLINE,
    targetPages: String(number),
    extractLinks: false,
    extractTextMetadata: true,
    ...(config.password ? { password: config.password } : {}),
  });
  return measuredScale(measured.pages[0]);
}

/** @throws PdfError if PDFium rejects the file */
const parse = (file: Buffer, config: Partial<LiteParseConfig>) =>
  parseInRanges(config, (range) => parseWithoutCopies(parserFor(range), file)).catch((error: unknown) => {
    throw toPdfError(error);
  });

/** Parsers by their configuration. They keep no documents, and it takes time to create them. */
const parsers = new Map<string, LiteParse>();

/** The parser of a configuration. One with a password or for one page is not kept. */
function parserFor(config: Partial<LiteParseConfig>): LiteParse {
  if (config.password !== undefined || config.targetPages) return new LiteParse(config);
  const key = JSON.stringify(config);
  const parser = parsers.get(key) ?? new LiteParse(config);
  parsers.set(key, parser);
  return parser;
}

/**
 * Whether a page sets a font size of 1 for its text and scales the text by a matrix. The real sizes are then
 * only in the metadata of the text, which take time to extract.
 */
const hasUnitFonts = ({ textItems }: ParsedPage) =>
  textItems.length > 1 && textItems.every(({ fontSize }) => fontSize === 1);

/**
 * Whether a page has a tag tree, which refers to its text by identifiers that are only in the metadata of the
 * text.
 */
const hasTags = ({ structureTree }: ParsedPage) => (structureTree?.roots.length ?? 0) > 0;

/**
 * Converts a page of liteparse to the common form of all readers, and rotates it so that most text is
 * upright.
 * @param images the images of this page
 * @param fonts what is known of the fonts of the document
 */
export function toSourcePage(
  page: ParsedPage,
  images: readonly ExtractedImage[],
  fonts: FontMeasures = { scale: undefined, pitches: new Map(), told: new Set() },
): SourcePage {
  const annotations = page.annotations ?? [];
  const { upright, turned, rotation } = byRotation(page.textItems);
  const { shapes, lines } = page.vectorGraphics ?? { shapes: [], lines: [] };
  const tags = (page.structureTree?.roots ?? []).map(toTag);
  const fields = (page.formFields ?? []).flatMap(toField);
  const { boxes, words, rules } = findDrawnBoxes(
    { shapes, strokes: lines },
    { words: toWords(upright, fonts), rules: findRules(shapes, lines), fields },
  );
  const source: SourcePage = {
    number: page.pageNum,
    width: page.width,
    height: page.height,
    words,
    turnedWords: toTurnedWords(turned, fonts),
    rules,
    paths: { all: shapes.length, curved: shapes.filter(({ fill, hasCurve }) => fill && hasCurve).length },
    dots: shapes
      .filter(isDot)
      .slice(0, MAX_DOTS)
      .map(({ bbox }) => toBox(bbox))
      .filter((dot) => !boxes.some((box) => containsCenter(box, dot))),
    figures: withAlternativeTexts(images.map(toFigure), tags),
    annotations: annotations.flatMap(toAnnotation),
    fields: [...fields, ...boxes],
    tags,
  };
  markEmbedded(source.words);
  return uprightPage({ ...source, words: linkWords(source.words, annotations) }, rotation);
}

/** The rotation of a run, rounded to a multiple of 90 degrees. */
const quarterOf = ({ rotation = 0 }: TextItem) =>
  (Math.round((((rotation % 360) + 360) % 360) / 90) % 4) * 90;

/** Largest angle between a line that counts as level and the edge of the page, in degrees. */
const MAX_SLOPE = 8;

/** Whether a run is written across the lines of any page, as watermarks are. */
function isDiagonal(item: TextItem): boolean {
  const difference = (((item.rotation ?? 0) - quarterOf(item)) % 360) + 360;
  return Math.min(difference % 360, 360 - (difference % 360)) > MAX_SLOPE;
}

/** Separates the runs in the direction of most of the text from the others, of which most pages have none. */
function byRotation(items: readonly TextItem[]) {
  if (items.every(({ rotation }) => !rotation)) return { rotation: 0 as const, upright: items, turned: [] };
  const rotation = rotationOf(items);
  const isUpright = (item: TextItem) => quarterOf(item) === rotation && !isDiagonal(item);
  return {
    rotation,
    upright: items.filter(isUpright),
    turned: items.filter((item) => !isUpright(item)),
  };
}

/** The words of lines in another direction than most. Those of one line get the same number of a run. */
function toTurnedWords(items: readonly TextItem[], fonts: FontMeasures): Word[] {
  if (items.length === 0) return [];
  const lines = joinTurned(items, (item) => (isDiagonal(item) ? Number.NaN : quarterOf(item)));
  const lineOfRun = lines.flatMap((line, number) => line.map(() => number));
  return toWords(lines.flat(), fonts).map((word) => ({ ...word, run: lineOfRun[word.run] ?? word.run }));
}

/** The clockwise rotation of most of the text, in degrees. */
function rotationOf(items: readonly TextItem[]): 0 | 90 | 180 | 270 {
  const lengths = new Map<number, number>();
  for (const item of items) {
    const quarter = quarterOf(item);
    lengths.set(quarter, (lengths.get(quarter) ?? 0) + item.text.length);
  }
  let most = 0;
  for (const [quarter, length] of lengths) if (length > (lengths.get(most) ?? 0)) most = quarter;
  return most as 0 | 90 | 180 | 270;
}

const toBox = ({ x, y, width, height }: { x: number; y: number; width: number; height: number }): Box => ({
  left: x,
  top: y,
  right: x + width,
  bottom: y + height,
});

/** Range of the size of bullets that are drawn as shapes, in points. */
const MIN_DOT = 1.5;
const MAX_DOT = 8;
/** Limits the time for drawings. */
const MAX_DOTS = 200;

const isDot = ({ bbox: { width, height } }: { bbox: { width: number; height: number } }) =>
  height > MIN_DOT && height < MAX_DOT && Math.abs(width - height) < 0.2 * height;

function toFigure(image: ExtractedImage): Figure {
  return { ...toBox(image.bbox), id: image.id, format: image.format, bytes: image.bytes };
}

/** Subtypes of annotations that contain text by a reader of the document. */
const NOTES = /^(text|free ?text|highlight|underline|squiggly|strikeout|stamp|caret)$/i;

function toAnnotation({ subtype, contents, title, rect }: DocumentAnnotation): Annotation[] {
  if (!rect || !contents?.trim() || !NOTES.test(subtype)) return [];
  return [{ ...toBox(rect), text: contents.trim(), ...(title ? { author: title } : {}) }];
}

function toField(field: NativeField): FormField[] {
  const { rect, type, checked = false } = field;
  if (!rect) return [];
  const kind = /check/i.test(type)
    ? 'checkbox'
    : /radio/i.test(type)
      ? 'radio'
      : /combo|list|choice/i.test(type)
        ? 'choice'
        : /sign/i.test(type)
          ? 'signature'
          : /text/i.test(type)
            ? 'text'
            : undefined;
  if (!kind) return [];
  const value = selectedOptions(field).join(', ') || (field.value ?? '');
  return [{ ...toBox(rect), type: kind, value, checked }];
}

/** The flag of choice fields of which several options can be selected (ISO 32000-1, table 230). */
const MULTIPLE = 1 << 21;

/**
 * The selected options of a choice field. Options are selected by their export values, and some files give the
 * same one to all; of those, viewers show the first.
 */
const selectedOptions = ({ selectedOptions: options, fieldFlags }: NativeField) =>
  fieldFlags & MULTIPLE ? options : options.slice(0, 1);

const toTag = ({ type, markedContentIds, altText, attributes, children }: StructureTreeElement): Tag => ({
  type,
  mcids: markedContentIds,
  ...(altText?.trim() && { alt: altText.trim() }),
  ...(isSpan(attributes.ColSpan) && { columnSpan: attributes.ColSpan }),
  ...(isSpan(attributes.RowSpan) && { rowSpan: attributes.RowSpan }),
  children: children.map(toTag),
});

/** The most columns or rows that a cell may take. */
const MAX_SPAN = 1000;
const isSpan = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) > 1 && Number(value) <= MAX_SPAN;
