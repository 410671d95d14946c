import type { Box } from '../boxes.ts';
import type { Rule, SourcePage } from '../types.ts';

/**
 * Rotates a page so that its text runs from left to right.
 * @param rotation clockwise rotation of the text in degrees
 */
export function uprightPage(page: SourcePage, rotation: 0 | 90 | 180 | 270): SourcePage {
  if (rotation === 0) return page;
  const { width, height } = page;
  const turning = { rotation, width, height };
  const turn = <B extends Box>(box: B): B => ({ ...box, ...turnBox(box, turning) });
  const sideways = rotation !== 180;
  const across = page.rules.horizontal.map((rule) => turnRule(rule, true, turning));
  const down = page.rules.vertical.map((rule) => turnRule(rule, false, turning));
  // A page that was read upright can be turned again by what OCR finds.
  const turnedBy = (((page.turnedBy ?? 0) + rotation) % 360) as 0 | 90 | 180 | 270;
  return {
    ...omitTurn(page),
    ...(turnedBy !== 0 && { turnedBy }),
    width: sideways ? height : width,
    height: sideways ? width : height,
    words: page.words.map(turn),
    turnedWords: (page.turnedWords ?? []).map(turn),
    rules: sideways ? { horizontal: down, vertical: across } : { horizontal: across, vertical: down },
    dots: (page.dots ?? []).map(turn),
    figures: page.figures.map(turn),
    annotations: page.annotations.map(turn),
    fields: page.fields.map(turn),
  };
}

const omitTurn = ({ turnedBy: _, ...page }: SourcePage): Omit<SourcePage, 'turnedBy'> => page;

/** The rotation of the text of a page, and the size of the page before it is turned. */
interface Turning {
  rotation: number;
  width: number;
  height: number;
}

/** Rotates a box counter-clockwise. */
function turnBox({ left, top, right, bottom }: Box, { rotation, width, height }: Turning): Box {
  if (rotation === 90) return { left: top, right: bottom, top: width - right, bottom: width - left };
  if (rotation === 270) return { left: height - bottom, right: height - top, top: left, bottom: right };
  return { left: width - right, right: width - left, top: height - bottom, bottom: height - top };
}

function turnRule(rule: Rule, isHorizontal: boolean, turning: Turning): Rule {
  const { at, from, to } = rule;
  const box = isHorizontal
    ? { left: from, right: to, top: at, bottom: at }
    : { left: at, right: at, top: from, bottom: to };
  const turned = turnBox(box, turning);
  return turned.top === turned.bottom
    ? { at: turned.top, from: turned.left, to: turned.right }
    : { at: turned.left, from: turned.top, to: turned.bottom };
}
