/** The most characters of the text of an image, of a URL, and of what follows it, such as a title. */
const MAX_TEXT = 500;
const MAX_URL = 4_000;
const MAX_TITLE = 500;

/**
 * Leaves out where the links of markdown go: `[text](url "title")` becomes `[text]`. The time is linear in the
 * length of the line, whatever it has, because pages of others are read in the thread that serves all jobs.
 */
export function withoutLinkTargets(line: string): string {
  const endOf = targetEnds(line);
  return withoutParts(line, '](', (start) => {
    const end = endOf(start + 2);
    return end === undefined ? undefined : { from: start + 1, end };
  });
}

/** Leaves out the images of markdown, `![text](url "title")`, also in linear time. */
export function withoutImages(line: string): string {
  const endOf = targetEnds(line);
  const nextBracket = finder((from) => line.indexOf(']', from));
  return withoutParts(line, '![', (start) => {
    const bracket = nextBracket(start + 2);
    if (bracket - (start + 2) > MAX_TEXT || line[bracket + 1] !== '(') return undefined;
    const end = endOf(bracket + 2);
    return end === undefined ? undefined : { from: start, end };
  });
}

/**
 * Leaves out parts of a line.
 * @param mark the text with which they begin
 * @param partAt tells which part begins with the mark at a place, if any
 */
function withoutParts(
  line: string,
  mark: string,
  partAt: (start: number) => { from: number; end: number } | undefined,
): string {
  const kept: string[] = [];
  let done = 0;
  for (let start = line.indexOf(mark); start !== -1; ) {
    const part = partAt(start);
    if (part) {
      kept.push(line.slice(done, part.from));
      done = part.end;
    }
    start = line.indexOf(mark, part?.end ?? start + 1);
  }
  kept.push(line.slice(done));
  return kept.join('');
}

/** @returns a function that finds the end of the target that begins at a place; places must not decrease */
function targetEnds(line: string): (from: number) => number | undefined {
  const nextParenthesis = finder((from) => line.indexOf(')', from));
  const space = /\s/g;
  const nextSpace = finder((from) => {
    space.lastIndex = from;
    return space.exec(line)?.index ?? -1;
  });
  return (from) => {
    const close = nextParenthesis(from);
    if (close === Number.POSITIVE_INFINITY) return undefined;
    const urlEnd = Math.min(nextSpace(from), close, from + MAX_URL);
    return close - urlEnd > MAX_TITLE ? undefined : close + 1;
  };
}

/**
 * Makes a search whose places do not decrease look at each character once.
 * @param find the search, which returns -1 if it finds nothing
 * @returns where the next one is: infinitely far away, if there is none
 */
function finder(find: (from: number) => number): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) {
      const place = find(from);
      found = place === -1 ? Number.POSITIVE_INFINITY : place;
    }
    return found;
  };
}
