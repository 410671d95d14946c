/** A line of a page that was removed or added, in parts. */
export interface ChangedLine {
  type: 'removed' | 'added';
  before: string;
  /** What differs from the line that it replaces, or the whole line. */
  changed: string;
  after: string;
}

/** Characters of a line that are shown before and after what differs, and of what differs. */
const MAX_CONTEXT = 60;
const MAX_CHANGED = 300;
/** Lines of a diff that are read, of which more are shown than anybody reads. */
const MAX_READ_LINES = 2_000;

/**
 * Makes the changed lines of a unified diff readable: each is cut to what differs, with some words around it.
 * @param limit the most lines
 */
export function changedLinesOf(diff: string, limit: number): { lines: ChangedLine[]; isCut: boolean } {
  const lines: ChangedLine[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = () => {
    lines.push(...replacementOf(removed, added));
    removed = [];
    added = [];
  };
  // The first two lines name the versions.
  const read = diff.split('\n', MAX_READ_LINES).slice(2);
  for (const line of read) {
    const text = line.slice(1).trim();
    if (line.startsWith('-')) {
      if (added.length) flush();
      if (text) removed.push(text);
    } else if (line.startsWith('+')) {
      if (text) added.push(text);
    } else flush();
  }
  flush();
  return { lines: lines.slice(0, limit), isCut: lines.length > limit };
}

/** Lines in the place of others. As many as both have are compared with each other. */
function replacementOf(removed: string[], added: string[]): ChangedLine[] {
  const pairs = removed.length === added.length;
  return [
    ...removed.map((line, index) => cut('removed', line, pairs ? added[index]! : '')),
    ...added.map((line, index) => cut('added', line, pairs ? removed[index]! : '')),
  ];
}

/** Cuts a line to what differs from another one. */
function cut(type: ChangedLine['type'], line: string, other: string): ChangedLine {
  const words = wordsOf(line);
  const others = wordsOf(other);
  const most = Math.min(words.length, others.length);
  let head = 0;
  while (head < most && words[head] === others[head]) head++;
  let tail = 0;
  while (tail < most - head && words.at(-1 - tail) === others.at(-1 - tail)) tail++;
  const end = words.length - tail;
  return {
    type,
    before: lastOf(words.slice(0, head).join('')),
    changed: firstOf(words.slice(head, end).join(''), MAX_CHANGED),
    after: firstOf(words.slice(end).join(''), MAX_CONTEXT),
  };
}

/** Words and the white space between them. */
const wordsOf = (line: string) => line.match(/\s+|\S+/g) ?? [];

const lastOf = (text: string) =>
  text.length > MAX_CONTEXT ? `… ${text.slice(-MAX_CONTEXT).replace(/^\S*\s/, '')}` : text;

const firstOf = (text: string, most: number) =>
  text.length > most ? `${text.slice(0, most).replace(/\s\S*$/, '')} …` : text;
