import { lstatSync } from 'node:fs';
import { extname, join } from 'node:path';

/** The most that a file system allows is 255; a number is added to a name that is taken. */
const MAX_NAME_BYTES = 240;
/** The name of a file that has none which can be used. */
const FALLBACK_NAME = 'download';
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what no name of a file may have.
const CONTROL_CHARACTERS = /[\x00-\x1f\x7f]/g;

/**
 * The name under which a file can be stored whose name a site or a client has chosen: the last segment of a
 * path of any system, without control characters, at most 240 bytes long.
 */
export function safeFileName(wanted: string): string {
  const segment = wanted.split(/[\\/]/).at(-1) ?? '';
  const name = segment.replace(CONTROL_CHARACTERS, '').trim();
  if (!/[^.]/.test(name)) return FALLBACK_NAME;
  const extension = extname(name);
  const isShort = Buffer.byteLength(extension) <= MAX_NAME_BYTES / 4;
  const kept = isShort ? extension : '';
  return cutBytes(name.slice(0, name.length - kept.length), MAX_NAME_BYTES - Buffer.byteLength(kept)) + kept;
}

/** Cuts a text to a number of bytes in UTF-8, between two characters. */
function cutBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return bytes.toString();
  return new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true });
}

/** Names that are remembered after their files were stored, and names whose last number is remembered. */
const MAX_GIVEN = 10_000;

/**
 * The names of the files in a directory, each of which is given to one file only: clients may know a file by
 * its name even when code has moved it.
 */
export class FileNames {
  readonly #directory: string;
  /** Names of files that may not be in the directory yet, or not any more. */
  readonly #given = new Set<string>();
  /** The last number that was added to a name, so that many files of one name do not take longer and longer. */
  readonly #lastNumbers = new Map<string, number>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Reserves a name for a file: `invoice.pdf`, then `invoice (1).pdf`.
   * @returns the name, which no other file gets unless it is released
   */
  reserve(wanted: string): string {
    const safe = safeFileName(wanted);
    let name = safe;
    if (this.#isTaken(name)) {
      const extension = extname(safe);
      const stem = safe.slice(0, safe.length - extension.length);
      let number = this.#lastNumbers.get(safe) ?? 0;
      do name = `${stem} (${++number})${extension}`;
      while (this.#isTaken(name));
      // The names that were numbered last are the last ones.
      this.#lastNumbers.delete(safe);
      this.#lastNumbers.set(safe, number);
      const [longestUnused] = this.#lastNumbers.keys();
      if (this.#lastNumbers.size > MAX_GIVEN && longestUnused !== undefined)
        this.#lastNumbers.delete(longestUnused);
    }
    this.#given.add(name);
    const [oldest] = this.#given;
    if (this.#given.size > MAX_GIVEN && oldest !== undefined) this.#given.delete(oldest);
    return name;
  }

  /** Ends a reservation, because the file will not come. */
  release(name: string): void {
    this.#given.delete(name);
  }

  #isTaken(name: string): boolean {
    return (
      this.#given.has(name) || lstatSync(join(this.#directory, name), { throwIfNoEntry: false }) !== undefined
    );
  }
}
