import type { Recognition } from './ocr/ocr.ts';
import type { PageImages } from './output/page-images.ts';
import type { SourceDocument, SourcePage } from './types.ts';

/** What is known about a document when its pages have been read. Pages are given by their numbers. */
interface Findings {
  /** The document as it was read, without OCR. */
  source: SourceDocument;
  /** Whether the file is damaged and was read nevertheless. */
  isRecovered: boolean;
  /** The pages of which nothing could be read. */
  failed: readonly number[];
  mode: 'fast' | 'auto' | 'ocr';
  /** The pages that OCR was to be used for. */
  wanted: ReadonlySet<number>;
  /** Further pages with a picture that may have text. */
  pictures?: readonly number[];
  /** Absent if OCR was not used. */
  recognition: Recognition | undefined;
  /** The pictures of pages; absent if none were asked for. */
  drawn?: PageImages;
}

/** English sentences about content of a PDF that is missing or unreliable. */
export function listWarnings(findings: Findings): string[] {
  const { source, isRecovered, failed, mode, wanted, pictures = [], recognition, drawn } = findings;
  return [
    ...(isRecovered ? ['The PDF is damaged; tables and images may be missing.'] : []),
    ...(failed.length > 0 ? [`${pageList(failed)} of ${source.totalPages} could not be read.`] : []),
    ...(recognition ? warningsAfterOcr(recognition, wanted) : warningsWithoutOcr(source.pages, mode, wanted)),
    ...(mode === 'auto' && pictures.length > 0 ? [pictureWarning(pictures)] : []),
    ...(drawn ? warningsOfDrawing(drawn) : []),
  ];
}

const warningsOfDrawing = ({ unrendered, left }: PageImages): string[] => [
  ...(unrendered.length > 0
    ? [`${pageList(unrendered)} could not be rendered, so pageImages lacks ${thatOrThose(unrendered)}.`]
    : []),
  ...(left.length > 0
    ? [
        `${pageList(left)} ${left.length === 1 ? 'has' : 'have'} no picture, because the others are large. Ask for fewer pages at once.`,
      ]
    : []),
];

const thatOrThose = (numbers: readonly number[]) => (numbers.length === 1 ? 'it' : 'them');

function pictureWarning(numbers: readonly number[]): string {
  const have = numbers.length === 1 ? 'has a picture' : 'have pictures';
  return `${pageList(numbers)} ${have} beside little text. Text in pictures was not read there; the mode "ocr" reads it.`;
}

function warningsAfterOcr({ pages, unrendered }: Recognition, wanted: ReadonlySet<number>): string[] {
  const those = thatOrThose(unrendered);
  const isWithoutText = wanted.size > unrendered.length && pages.every(hasNoText);
  return [
    ...(unrendered.length > 0
      ? [`${pageList(unrendered)} could not be rendered, so OCR was not used for ${those}.`]
      : []),
    ...(isWithoutText ? ['No text was recognised in the PDF.'] : []),
  ];
}

function warningsWithoutOcr(
  pages: readonly SourcePage[],
  mode: Findings['mode'],
  wanted: ReadonlySet<number>,
): string[] {
  const blank = mode === 'fast' ? pages.filter(hasNoText).map(({ number }) => number) : [];
  const have = blank.length === 1 ? 'has' : 'have';
  const need = wanted.size === 1 ? 'needs' : 'need';
  return [
    ...(blank.length > 0
      ? [`${pageList(blank)} ${have} no text, and OCR was not used because of the mode fast.`]
      : []),
    ...(wanted.size > 0
      ? [`${pageList([...wanted])} ${need} OCR, which was not used: the text may be wrong or missing.`]
      : []),
  ];
}

/** The message of the error for a document whose only text is in images, which the mode `fast` excludes. */
export function scannedMessage(numbers: readonly number[]): string {
  const [have, images] = numbers.length === 1 ? ['has', 'its image'] : ['have', 'their images'];
  return `${pageList(numbers)} of the PDF ${have} no text but that in ${images}, which the mode "fast" does not recognise. Use the mode "auto" or "ocr".`;
}

const hasNoText = ({ words }: SourcePage) => words.length === 0;

/** Maximum number of pages that a warning lists. */
const MAX_LISTED = 20;

function pageList(numbers: readonly number[]): string {
  const sorted = [...numbers].sort((a, b) => a - b);
  const listed = sorted.slice(0, MAX_LISTED).join(', ');
  const more = sorted.length > MAX_LISTED ? ` and ${sorted.length - MAX_LISTED} more` : '';
  return `${sorted.length === 1 ? 'Page' : 'Pages'} ${listed}${more}`;
}
