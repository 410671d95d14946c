import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allowsMit, productionPackages } from '../../scripts/licences.ts';
import { IS_FULL_RUN } from '../support/suite/corpus.ts';

const ROOT = join(import.meta.dirname, '..', '..');

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-or-later)', true],
  ['GPL-2.0 OR Apache-2.0', true],
  ['Apache-2.0 AND MIT', true],
  ['MIT AND GPL-3.0', false],
  ['LGPL-3.0-or-later', true],
  ['MPL-2.0', true],
  ['BSD*', true],
  ['GPL-3.0', false],
  ['AGPL-3.0-only', false],
  ['SSPL-1.0', false],
  ['BUSL-1.1', false],
  ['UNLICENSED', false],
  ['UNKNOWN', false],
  ['Custom: LICENSE.txt', false],
])('whether a package of the licence %s may be distributed with one of MIT is %s', (licence, allowed) => {
  expect(allowsMit(licence)).toBe(allowed);
});

// `npm run check` has the same check, which reads the packages for seconds.
test.runIf(IS_FULL_RUN)('the licences of all production packages are checked and allowed', async () => {
  const packages = await productionPackages(ROOT);
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const names = new Set(packages.map(({ name }) => name));
  for (const [name, version] of Object.entries(manifest.dependencies))
    expect(names).toContain(`${name}@${version}`);
  expect(packages.filter(({ licence }) => !allowsMit(licence))).toEqual([]);
});
