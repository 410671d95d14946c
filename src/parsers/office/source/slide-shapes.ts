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
  /** Absent if the shape takes its place from the layout of the slide, or is rotated. */
  box?: ShapeBox;
}

/** Elements that draw something; connectors, which are lines, do not count. */
const SHAPES = new Set(['sp', 'pic', 'graphicFrame', 'grpSp', 'AlternateContent', 'contentPart']);
const TITLES = new Set(['title', 'ctrTitle']);
/** How many elements surround a property of a shape of the slide; more surround those of the shapes in groups. */
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
  const shapes: SlideShape[] = [];
  const open: string[] = [];
  let shape: (SlideShape & { hasText: boolean; isRepeated: boolean }) | undefined;
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
          shape.isTitle = TITLES.has(attributes.type ?? '');
          shape.isRepeated = REPEATED.has(attributes.type ?? '');
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
        const { hasText, isRepeated, ...kept } = shape;
        if (hasText && !isRepeated) shapes.push({ ...kept, end: parser.endIndex + 1 });
        shape = undefined;
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return isRightToLeft ? [] : shapes;
}

/** Adds the offset or the size, which comes second. */
function addToBox(shape: SlideShape, name: string, { x, y, cx, cy }: Record<string, string>): void {
  if (name === 'off') shape.box = { left: Number(x), top: Number(y), width: 0, height: 0 };
  if (name === 'ext' && shape.box) Object.assign(shape.box, { width: Number(cx), height: Number(cy) });
}
