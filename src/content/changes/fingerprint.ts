import { createHash } from 'node:crypto';
import { normalizeLine } from './normalize-line.ts';

/** A hash that is equal for two versions of a page that differ only in volatile parts. */
export function computeFingerprint(markdown: string): Buffer {
  return computeFingerprintOfLines(markdown.split('\n').map(normalizeLine));
}

/** The same for lines that are normalized already; empty lines are ignored. */
export function computeFingerprintOfLines(lines: string[]): Buffer {
  const hash = createHash('sha256');
  for (const line of lines) if (line) hash.update(line).update('\n');
  return hash.digest();
}
