const segmenters = new Map<'sentence' | 'word', Intl.Segmenter>();

/**
 * Splits a text into sentences or words by Unicode's rules (UAX #29). Segmenters are created for the first
 * text, because the first one of a process takes 9 ms, and most threads split no text in this way.
 */
export function segmentsOf(text: string, granularity: 'sentence' | 'word'): Intl.Segments {
  const segmenter = segmenters.get(granularity) ?? new Intl.Segmenter(undefined, { granularity });
  segmenters.set(granularity, segmenter);
  return segmenter.segment(text);
}
