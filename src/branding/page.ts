import { surveyBoxes } from './page/boxes.ts';
import { surveyControls } from './page/controls.ts';
import { surveyDeclarations } from './page/declarations.ts';
import { takeDrawing } from './page/drawing.ts';
import { surveyFrame } from './page/frame.ts';
import { surveyGrounds } from './page/grounds.ts';
import { surveyIcons } from './page/icons.ts';
import { surveyMarks } from './page/marks.ts';
import { seeElements } from './page/seen.ts';
import { surveyTexts } from './page/texts.ts';
import { surveyTransitions } from './page/transitions.ts';
import type { Mark, Survey } from './survey.ts';

/** What is looked at at most: more than pages have that are made for people. */
const MOST_ELEMENTS = 6_000;
const MOST_KINDS = 400;
const MOST_CONTROLS = 100;
const MOST_MARKS = 60;
const MOST_DRAWINGS = 20;
const MOST_SHAPES = 300;
/** Of a picture that is part of the page, as a data URI. */
const MOST_SOURCE = 100_000;
const DECLARATIONS = { variables: 300, icons: 30, manifestMs: 3_000 };

/** Runs a function in the open page. */
type Ask = <Argument, Result>(
  run: (argument: Argument) => Result,
  argument: Argument,
) => Promise<Awaited<Result>>;

/** Takes from an open page what its brand is judged by. @returns `undefined` when the document is no HTML */
export async function surveyPage(ask: Ask): Promise<Survey | undefined> {
  if (!(await ask(seeElements, MOST_ELEMENTS))) return undefined;
  // Grounds are left for what stands on them, and buttons for their texts.
  const grounds = await ask(surveyGrounds, MOST_KINDS);
  const controls = await ask(surveyControls, MOST_CONTROLS);
  const texts = await ask(surveyTexts, MOST_KINDS);
  const boxes = await ask(surveyBoxes, MOST_KINDS);
  const icons = await ask(surveyIcons, MOST_KINDS);
  const transitions = await ask(surveyTransitions, MOST_KINDS);
  const frame = await ask(surveyFrame, MOST_KINDS);
  return {
    styles: { grounds, texts, ...controls, ...boxes, icons, transitions, frame },
    marks: await marksOf(ask),
    declarations: await ask(surveyDeclarations, DECLARATIONS),
  };
}

async function marksOf(ask: Ask): Promise<Mark[]> {
  const marks: Mark[] = [];
  let drawings = 0;
  for (const { index, ...mark } of await ask(surveyMarks, MOST_MARKS)) {
    if (mark.kind !== 'svg') marks.push(mark);
    else if (drawings++ < MOST_DRAWINGS) {
      const drawing = await ask(takeDrawing, { index, shapes: MOST_SHAPES });
      const src = drawing && `data:image/svg+xml,${encodeURIComponent(drawing.source)}`;
      if (src) marks.push({ ...mark, src, colors: drawing.colors });
    }
  }
  return marks.filter(({ src }) => src && src.length <= MOST_SOURCE);
}
