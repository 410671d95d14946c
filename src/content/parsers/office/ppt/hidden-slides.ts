import { readRecords, TYPES } from './records.ts';

const HIDDEN = 0x0004;

/** Which slides are hidden, and to which slide the entries of the list of slides belong. */
export interface SlideVisibility {
  /** For each slide, in the order of the stream, whether it is hidden. */
  hidden: boolean[];
  /** The places of the slides by the identifiers that the list has for them. */
  places: Map<number, number>;
}

/**
 * Reads which slides are hidden. In a file with versions of slides from earlier saves, none of the list is
 * known.
 */
export function readSlideVisibility(stream: Buffer): SlideVisibility {
  const hidden: boolean[] = [];
  const identifiers: number[] = [];
  let isListOfSlides = false;
  for (const { type, instance, content } of readRecords(stream)) {
    if (type === TYPES.slide) hidden.push(false);
    else if (type === TYPES.slideInfo && content.length >= 12 && hidden.length > 0)
      hidden[hidden.length - 1] = (content.readUInt16LE(10) & HIDDEN) !== 0;
    else if (type === TYPES.slideList) isListOfSlides = instance === 0;
    else if (type === TYPES.slideInList && isListOfSlides && content.length >= 4)
      identifiers.push(content.readUInt32LE(0));
  }
  // The identifiers rise with the places of the slides in the stream.
  const sorted = [...identifiers].sort((one, other) => one - other);
  const isKnown = identifiers.length === hidden.length;
  return { hidden, places: new Map(isKnown ? sorted.map((identifier, place) => [identifier, place]) : []) };
}
