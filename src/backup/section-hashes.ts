import { createHash, type Hash } from 'node:crypto';
import { type Section, sectionOf } from './manifest.ts';

/** Hashes the files of each section of a backup while they are written or read, in constant memory. */
export class SectionHashes {
  readonly #sections = new Map<string, { files: number; bytes: number; hash: Hash }>();

  /** Begins a file. @returns a function that takes its bytes */
  begin(name: string, size: number): (bytes: Uint8Array) => void {
    const key = sectionOf(name);
    const section = this.#sections.get(key) ?? { files: 0, bytes: 0, hash: createHash('sha256') };
    this.#sections.set(key, section);
    section.files++;
    section.bytes += size;
    section.hash.update(`${name}\0${size}\0`);
    return (bytes) => section.hash.update(bytes);
  }

  /** The hashes of all files. No file can be added afterwards. */
  finish(): Record<string, Section> {
    const sections = [...this.#sections].map(([name, { hash, ...counts }]): [string, Section] => [
      name,
      { ...counts, sha256: hash.digest('hex') },
    ]);
    return Object.fromEntries(sections);
  }
}
