import { toBuffer } from '../../source-text.ts';

const FALLBACK = Buffer.from('{\\nonesttables');
const BINARY = Buffer.from('\\bin');
const LEVEL = Buffer.from('\\itap');
const [BACKSLASH, OPEN, CLOSE] = [0x5c, 0x7b, 0x7d];

/**
 * Removes from an RTF file what anydoc stumbles over: the text for readers that do not know tables in tables,
 * which it takes for content, `\bin` without a size, after which some writers put hexadecimal digits, and
 * levels of nested tables that are skipped, because it loses the tables inside them.
 */
export function normalizeRtf(bytes: Uint8Array): Uint8Array {
  const file = toBuffer(bytes);
  return withoutSkippedLevels(withoutEmptyBinaries(withoutFallbacks(file)));
}

function withoutFallbacks(file: Buffer): Buffer {
  const kept: Buffer[] = [];
  let from = 0;
  for (let at = file.indexOf(FALLBACK); at !== -1; at = file.indexOf(FALLBACK, from)) {
    kept.push(file.subarray(from, at));
    from = endOfGroup(file, at);
  }
  return from === 0 ? file : Buffer.concat([...kept, file.subarray(from)]);
}

/** Numbers the levels of nested tables (`\itap`) without gaps, such as 1, 2, 3 for 1, 2, 5. */
function withoutSkippedLevels(file: Buffer): Buffer {
  if (!file.includes(LEVEL)) return file;
  // The levels in the file of the tables around the current paragraph.
  const open = [1];
  const text = file.toString('latin1').replace(/\\itap(\d{1,4})/g, (_, digits: string) => {
    const level = Number(digits);
    while (open.length > 1 && (open.at(-1) ?? 0) > level) open.pop();
    if (level > (open.at(-1) ?? 0)) open.push(level);
    return `\\itap${level === 0 ? 0 : open.length}`;
  });
  return Buffer.from(text, 'latin1');
}

/** The offset behind a group, which begins with a brace. */
function endOfGroup(file: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < file.length; at++) {
    if (file[at] === BACKSLASH) at++;
    else if (file[at] === OPEN) depth++;
    else if (file[at] === CLOSE && --depth === 0) return at + 1;
  }
  return file.length;
}

function withoutEmptyBinaries(file: Buffer): Buffer {
  const kept: Buffer[] = [];
  let from = 0;
  for (let at = file.indexOf(BINARY); at !== -1; at = file.indexOf(BINARY, at + BINARY.length)) {
    const next = String.fromCharCode(file[at + BINARY.length] ?? 0);
    if (/[a-z0-9-]/i.test(next)) continue;
    kept.push(file.subarray(from, at));
    from = at + BINARY.length;
  }
  return from === 0 ? file : Buffer.concat([...kept, file.subarray(from)]);
}
