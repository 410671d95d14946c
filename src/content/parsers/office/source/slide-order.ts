import { readRelationships } from '../../package-parts.ts';
import { ZipArchive } from '../../zip.ts';
import type { MarkedObjects } from './odt-objects.ts';
import { replaceParts, tryReadPart } from './replace-parts.ts';
import { rewriteSlideFormulas } from './slide-formulas.ts';
import { readPlaceholderBoxes, readSlideShapes, type ShapeBox, type SlideShape } from './slide-shapes.ts';

const SLIDE = /^ppt\/slides\/slide\d+\.xml$/;
/** Limit of the XML of one slide, in bytes; larger slides keep their order. */
const MAX_SLIDE_BYTES = 1024 * 1024;
/** Slides behind these keep their order. */
const MAX_SLIDES = 500;
/** Limit of the shapes of one slide, each of which is compared with each. */
const MAX_SHAPES = 100;

/**
 * Puts the shapes of the slides of a pptx file in the order in which they are read, because anydoc reads them
 * in the order in which they are drawn, and marks in the places of formulas.
 * @returns undefined if all are in that order, or the file is damaged or too large
 */
export function orderSlideShapes(archive: ZipArchive): MarkedObjects | undefined {
  const changed = new Map<string, string>();
  const names = archive.names.filter((name) => SLIDE.test(name)).slice(0, MAX_SLIDES);
  const layouts = new LayoutBoxes(archive);
  const objects: string[] = [];
  for (const name of names) {
    const source = textOf(archive, name);
    const xml = rewriteSlideFormulas(source, objects);
    const ordered = orderShapes(xml, layouts.addTo(readSlideShapes(xml), name));
    if (ordered !== source) changed.set(name, ordered);
  }
  const bytes = changed.size > 0 ? replaceParts(archive, changed) : undefined;
  return bytes && { bytes, archive: new ZipArchive(bytes), objects };
}

/** Finds the boxes that shapes have from the layouts of their slides. */
class LayoutBoxes {
  readonly #archive: ZipArchive;
  /** The functions that find the boxes of each layout, by its part. */
  readonly #layouts = new Map<string, ReturnType<typeof readPlaceholderBoxes>>();

  constructor(archive: ZipArchive) {
    this.#archive = archive;
  }

  /** Adds the boxes of the layout to the shapes of a slide that have none. */
  addTo(shapes: SlideShape[], slide: string): SlideShape[] {
    const isComplete = shapes.every(({ box, placeholder }) => box || !placeholder);
    const boxOf = shapes.length < 2 || isComplete ? undefined : this.#boxesOf(slide);
    if (!boxOf) return shapes;
    return shapes.map((shape) => {
      const box = shape.box ?? (shape.placeholder && boxOf(shape.placeholder));
      return box ? { ...shape, box } : shape;
    });
  }

  #boxesOf(slide: string) {
    const layout = this.#related(slide, 'slideLayout') ?? '';
    const known = this.#layouts.get(layout);
    if (known) return known;
    const master = this.#related(layout, 'slideMaster') ?? '';
    const boxes = readPlaceholderBoxes(textOf(this.#archive, layout), textOf(this.#archive, master));
    this.#layouts.set(layout, boxes);
    return boxes;
  }

  #related(part: string, kind: string): string | undefined {
    try {
      const related = [...readRelationships(this.#archive, part).values()];
      return related.find((one) => one.kind === kind)?.target;
    } catch (error) {
      // Errors of zlib, and of reads beyond the end of the file; anydoc reports them where they matter.
      if (error instanceof Error) return undefined;
      throw error;
    }
  }
}

const textOf = (archive: ZipArchive, part: string) =>
  tryReadPart(archive, part, MAX_SLIDE_BYTES)?.toString('utf8') ?? '';

function orderShapes(xml: string, shapes: readonly SlideShape[]): string {
  const ordered = readingOrder(shapes);
  let written = '';
  let copiedTo = 0;
  for (const [place, { start, end }] of shapes.entries()) {
    const shape = ordered[place] as SlideShape;
    written += xml.slice(copiedTo, start) + xml.slice(shape.start, shape.end);
    copiedTo = end;
  }
  return written + xml.slice(copiedTo);
}

/**
 * The title first, and others behind all that are clearly above or to the left of them; apart from that, the
 * order in which they are drawn, which is also that of slides with shapes whose boxes are not known.
 */
function readingOrder(shapes: readonly SlideShape[]): readonly SlideShape[] {
  const isKnown = shapes.every(({ box, isTitle }) => isTitle || box);
  if (!isKnown || shapes.length > MAX_SHAPES) return shapes;
  const left = [...shapes];
  const ordered: SlideShape[] = [];
  while (left.length > 0) {
    const place = left.findIndex((shape) => !left.some((other) => isBefore(other, shape)));
    // Shapes in a circle have no order.
    if (place === -1) return shapes;
    ordered.push(...left.splice(place, 1));
  }
  return ordered;
}

function isBefore(shape: SlideShape, other: SlideShape): boolean {
  if (shape === other) return false;
  if (shape.isTitle || other.isTitle) return shape.isTitle && !other.isTitle;
  const [box, otherBox] = [shape.box, other.box];
  return box !== undefined && otherBox !== undefined && (isAbove(box, otherBox) || isLeftOf(box, otherBox));
}

/** Whether a box ends above another one with which it shares a column. */
function isAbove(box: ShapeBox, other: ShapeBox): boolean {
  const shared = Math.min(box.left + box.width, other.left + other.width) - Math.max(box.left, other.left);
  return box.top + box.height <= other.top && shared > Math.min(box.width, other.width) / 2;
}

/** Whether a box ends to the left of another one with which it shares a row. */
function isLeftOf(box: ShapeBox, other: ShapeBox): boolean {
  const shared = Math.min(box.top + box.height, other.top + other.height) - Math.max(box.top, other.top);
  return box.left + box.width <= other.left && shared > Math.min(box.height, other.height) / 2;
}
