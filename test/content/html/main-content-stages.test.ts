import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { STAGES } from '../../../src/content/html/main-content/index.ts';
import { PAGE_TYPES } from '../../../src/content/html/main-content/page-type/page-type.ts';

const readme = readFileSync(
  new URL('../../../src/content/html/main-content/README.md', import.meta.url),
  'utf8',
);

/** Writes the page types of a stage as the table of the README does. */
function describeTypes(types: readonly string[]): string {
  const missing = PAGE_TYPES.filter((type) => !types.includes(type));
  if (missing.length < 2) return missing.length === 0 ? 'all' : `all but ${missing[0]}`;
  return PAGE_TYPES.filter((type) => types.includes(type)).join(', ');
}

describe('stages of the main-content filter', () => {
  it('are listed in the README in their order, with their page types', () => {
    const rows = [...readme.matchAll(/^\| (.+?) +\| (.+?) +\| `/gm)].map(([, name, types]) => [name, types]);
    expect(rows).toEqual(STAGES.map(({ name, types }) => [name, describeTypes(types)]));
  });
});
