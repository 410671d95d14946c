import { readFileSync } from 'node:fs';

/** The version of this checkout, from its package.json. */
export function readVersion(): string {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  // npm requires a version.
  return (JSON.parse(file) as { version: string }).version;
}
