import { createHash } from 'node:crypto';
import { stableLine } from './volatile.ts';

/** Two versions of a page with the same fingerprint are the same, but for what changes by itself. */
export function fingerprintOf(markdown: string): Buffer {
  return fingerprintOfLines(markdown.split('\n').map(stableLine));
}

/** The same of lines that went through `stableLine`; empty ones count for nothing. */
export function fingerprintOfLines(lines: string[]): Buffer {
  const hash = createHash('sha256');
  for (const line of lines) if (line) hash.update(line).update('\n');
  return hash.digest();
}
