/** One picture of a `srcset`. */
interface Candidate {
  url: string;
  /** Width in pixels, or pixel density; 1 if neither is given. */
  size: number;
}

/**
 * Parses the candidates of a `srcset` as the HTML standard requires (4.8.4.2.2): a URL may contain commas.
 */
export function parseSrcset(srcset: string): Candidate[] {
  const candidates: Candidate[] = [];
  const next = /[\s,]*([^\s,]\S*)([^,]*)/y;
  for (let found = next.exec(srcset); found; found = next.exec(srcset)) {
    const [, written = '', descriptors = ''] = found;
    const url = written.replace(/,+$/, '');
    const alone = url.length < written.length;
    // A comma right after the URL ends the candidate, so the following text belongs to the next one.
    if (alone) next.lastIndex -= descriptors.length;
    const size = alone ? undefined : /^\s*(\d+(?:\.\d+)?|\.\d+)[wx]/.exec(descriptors)?.[1];
    candidates.push({ url, size: Number(size ?? 1) });
  }
  return candidates;
}

/** The URL of the largest candidate of a `srcset`, if it has one. */
export function largestCandidate(srcset: string): string | undefined {
  let best: Candidate | undefined;
  for (const candidate of parseSrcset(srcset)) if (!best || candidate.size > best.size) best = candidate;
  return best?.url;
}

/** Attributes with the URL and the candidates of an image that is loaded when it scrolls into view. */
export const LAZY_SOURCES = ['data-src', 'data-original', 'data-lazy-src', 'data-lazy'];
export const LAZY_SRCSETS = ['data-srcset', 'data-lazy-srcset'];
