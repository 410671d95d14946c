import type { ParsedPage } from '@llamaindex/liteparse';

/** By how many degrees text is turned clockwise, as it appears. */
export type Turn = 0 | 90 | 180 | 270;

/**
 * The confidence of tesseract, per character: upright text has about .96, and text that is upside down .8 at
 * most.
 */
const GOOD_CONFIDENCE = 0.9;
const LOW_CONFIDENCE = 0.85;
const MIN_GAIN = 0.05;
/** Less text may be what tesseract makes of a picture, whose direction does not matter. */
const MIN_CHARACTERS = 12;

/** A page as tesseract reads it when the page has been turned back. */
export interface TurnedPage {
  page: ParsedPage;
  turn: Turn;
}

/**
 * Recognises a page again, turned, if its words are taller than wide or their letters uncertain, and returns
 * the result with the surest letters. tesseract does not tell that text is sideways or upside down.
 * @param recognise recognises the page after it has been turned back; `undefined` if it cannot be read
 * @param first the turn that is probable, as the camera noted it
 */
export async function recogniseUpright(
  recognise: (turn: Turn) => Promise<ParsedPage | undefined>,
  first: Turn = 0,
): Promise<TurnedPage | undefined> {
  const page = await recognise(first);
  if (!page) return undefined;
  let best = { page, turn: first };
  for (const further of furtherTurns(page)) {
    const turn = ((first + further) % 360) as Turn;
    const turned = await recognise(turn);
    if (!turned || !isSurer(turned, best.page)) continue;
    best = { page: turned, turn };
    if (confidenceOf(turned) >= GOOD_CONFIDENCE) break;
  }
  return best;
}

/** The turns that may be better than the one of a page, the most probable one first. */
function furtherTurns(page: ParsedPage): Turn[] {
  if (lengthOf(page) < MIN_CHARACTERS) return [];
  const confidence = confidenceOf(page);
  // tesseract reads columns of text that runs upwards, but no text that runs downwards.
  if (isSideways(page)) return confidence >= GOOD_CONFIDENCE ? [90, 270] : [270, 90];
  return confidence < LOW_CONFIDENCE ? [180] : [];
}

const isSurer = (page: ParsedPage, than: ParsedPage) =>
  !isSideways(page) &&
  (isSideways(than)
    ? confidenceOf(page) > LOW_CONFIDENCE
    : confidenceOf(page) > confidenceOf(than) + MIN_GAIN);

/** Whether most words are taller than wide. */
function isSideways({ textItems }: ParsedPage): boolean {
  const words = textItems.filter(({ text }) => text.length > 2);
  return words.filter(({ width, height }) => height > width).length > 0.5 * words.length;
}

const lengthOf = ({ textItems }: ParsedPage) => textItems.reduce((sum, { text }) => sum + text.length, 0);

const confidenceOf = (page: ParsedPage) =>
  page.textItems.reduce((sum, { text, confidence = 1 }) => sum + confidence * text.length, 0) /
  Math.max(1, lengthOf(page));
