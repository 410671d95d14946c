import { globSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { OWN } from './stages.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const files = globSync('src/**/*.ts', { cwd: ROOT }).map((file) => `/${file}`);

it.each(OWN.map(([stage], place) => [stage, place] as const))(
  'the stage "%s" of a profile has files of the source code',
  (_stage, place) => {
    const isFirst = (file: string) => OWN.findIndex(([, pattern]) => pattern.test(file)) === place;
    expect(files.filter(isFirst)).not.toEqual([]);
  },
);
