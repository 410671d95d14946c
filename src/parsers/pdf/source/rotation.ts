import type { Box } from '../boxes.ts';
import type { Rule, SourcePage } from '../types.ts';

/**
 * Rotates a page so that its text runs from left to right.
 * @param rotation clockwise rotation of the text in degrees
 */
export function uprightPage(page: SourcePage, rotation: 0 | 90 | 180 | 270): SourcePage {
  if (rotation === 0) return page;
  const { width, height } = page;
  const turn = <B extends Box>(box: B): B => ({ ...box, ...turnBox(box, rotation, width, height) });
  const sideways = rotation !== 180;
  const across = page.rules.horizontal.map((rule) => turnRule(rule, true, rotation, width, height));
  const down = page.rules.vertical.map((rule) => turnRule(rule, false, rotation, width, height));
  return {
    ...page,
    width: sideways ? height : width,
    height: sideways ? width : height,
    words: page.words.map(turn),
    turnedWords: (page.turnedWords ?? []).map(turn),
    rules: sideways ? { horizontal: down, vertical: across } : { horizontal: across, vertical: down },
    figures: page.figures.map(turn),
    annotations: page.annotations.map(turn),
    fields: page.fields.map(turn),
  };
}

/** Rotates a box counter-clockwise by the given angle; width and height are those of the original page. */
function turnBox({ left, top, right, bottom }: Box, rotation: number, width: number, height: number): Box {
  if (rotation === 90) return { left: top, right: bottom, top: width - right, bottom: width - left };
  if (rotation === 270) return { left: height - bottom, right: height - top, top: left, bottom: right };
  return { left: width - right, right: width - left, top: height - bottom, bottom: height - top };
}

function turnRule(rule: Rule, isHorizontal: boolean, rotation: number, width: number, height: number): Rule {
  const { at, from, to } = rule;
  const box = isHorizontal
    ? { left: from, right: to, top: at, bottom: at }
    : { left: at, right: at, top: from, bottom: to };
  const turned = turnBox(box, rotation, width, height);
  return turned.top === turned.bottom
    ? { at: turned.top, from: turned.left, to: turned.right }
    : { at: turned.left, from: turned.top, to: turned.bottom };
}
