import { Parser } from 'htmlparser2';
import { localName } from '../../package-parts.ts';

/** The place of a shape on its slide, in units of the file. */
export interface ShapeBox {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** A shape, picture, table, chart or group of a slide, in the XML of the slide. */
export interface SlideShape {
  /** Where its element begins in the XML, and the place behind it. */
  start: number;
  end: number;
  isTitle: boolean;
  /** Absent if the shape has its place from the layout of the slide, or is rotated. */
  box?: ShapeBox;
  /** The place of the layout that the shape fills; absent for others. */
  placeholder?: Placeholder;
}

/**
 * A place of a layout for a shape, by which the shapes of slides, their layout and its master belong
 * together.
 */
export interface Placeholder {
  type: string;
  index: string;
}

/** Elements that draw something; connectors, which are lines, do not count. */
const SHAPES = new Set(['sp', 'pic', 'graphicFrame', 'grpSp', 'AlternateContent', 'contentPart']);
const TITLES = new Set(['title', 'ctrTitle']);
/**
 * How many elements surround a property of a shape of the slide; more surround those of the shapes in groups.
 */
const PROPERTY_DEPTH = 6;
/** Placeholders that every slide repeats. */
const REPEATED = new Set(['dt', 'ftr', 'sldNum']);

/**
 * Reads the shapes of a slide (ECMA-376-1, 19.3.1.45) in the order in which they are drawn. Those without
 * text, and placeholders that every slide repeats, are left out.
 * @param xml the part of the slide
 * @returns nothing for a slide with text from right to left, whose order is another one
 */
export function readSlideShapes(xml: string): SlideShape[] {
  const { shapes, isRightToLeft } = readShapes(xml);
  return isRightToLeft ? [] : shapes.filter(({ hasText, isRepeated }) => hasText && !isRepeated);
}

/**
 * Reads where a layout and its master put the shapes of a slide.
 * @param layout the part of the layout
 * @param master the part of its master, which has the boxes that the layout does not change
 * @returns finds the box of a place; undefined if neither has one
 */
export function readPlaceholderBoxes(
  layout: string,
  master: string,
): (placeholder: Placeholder) => ShapeBox | undefined {
  const inLayout = new Map<string, ParsedShape>();
  const inMaster = new Map<string, ShapeBox>();
  for (const shape of readShapes(layout).shapes)
    if (shape.placeholder) inLayout.set(shape.placeholder.index, shape);
  for (const { placeholder, box } of readShapes(master).shapes)
    if (placeholder && box) inMaster.set(placeholder.type, box);
  return ({ type, index }) => {
    const shape = inLayout.get(index);
    const kind = shape?.placeholder?.type ?? type;
    // Masters have one place for the title and one for all other content.
    return shape?.box ?? inMaster.get(TITLES.has(kind) ? 'title' : 'body');
  };
}

interface ParsedShape extends SlideShape {
  hasText: boolean;
  isRepeated: boolean;
}

function readShapes(xml: string): { shapes: ParsedShape[]; isRightToLeft: boolean } {
  const shapes: ParsedShape[] = [];
  const open: string[] = [];
  let shape: ParsedShape | undefined;
  let isRotated = false;
  let isRightToLeft = false;
  const isOwnFrame = () =>
    open.at(-1) === 'xfrm' &&
    (open.at(-2) === 'graphicFrame'
      ? open.length === PROPERTY_DEPTH - 1
      : open.length === PROPERTY_DEPTH && /^(?:spPr|grpSpPr)$/.test(open.at(-2) ?? ''));
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        const name = localName(tag);
        if (attributes.rtl === '1' || attributes.rtl === 'true') isRightToLeft = true;
        if (open.at(-1) === 'spTree' && SHAPES.has(name))
          shape = {
            start: parser.startIndex,
            end: 0,
            isTitle: false,
            hasText: name !== 'sp',
            isRepeated: false,
          };
        if (shape && name === 'ph' && open.length === PROPERTY_DEPTH) {
          const { type = 'obj', idx: index = '0' } = attributes;
          Object.assign(shape, {
            placeholder: { type, index },
            isTitle: TITLES.has(type),
            isRepeated: REPEATED.has(type),
          });
        }
        if (name === 'xfrm') isRotated = Number(attributes.rot ?? 0) !== 0;
        if (shape && isOwnFrame() && !isRotated) addToBox(shape, name, attributes);
        open.push(name);
      },
      ontext(text) {
        if (shape && open.at(-1) === 't' && text.trim()) shape.hasText = true;
      },
      onclosetag() {
        open.pop();
        if (open.at(-1) !== 'spTree' || !shape) return;
        shapes.push({ ...shape, end: parser.endIndex + 1 });
        shape = undefined;
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return { shapes, isRightToLeft };
}

/** Adds the offset or the size, which comes second. */
function addToBox(shape: SlideShape, name: string, { x, y, cx, cy }: Record<string, string>): void {
  if (name === 'off') shape.box = { left: Number(x), top: Number(y), width: 0, height: 0 };
  if (name === 'ext' && shape.box) Object.assign(shape.box, { width: Number(cx), height: Number(cy) });
}
