import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { needsOf, SCALING_PAGE, withScalingTables } from './support/docs/scaling.ts';

const ROOT = path.join(import.meta.dirname, '..');
const page = readFileSync(SCALING_PAGE, 'utf8');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const namesIn = (pattern: RegExp) => [...new Set([...page.matchAll(pattern)].map(([name]) => name))];

it('the tables of docs/scaling.md follow from its figures; after a change run `npm run docs`', () => {
  expect(withScalingTables(page)).toBe(page);
});

it('ten times the pages need ten times the cores, log and disk', () => {
  const [small, large] = [needsOf(1e6), needsOf(1e7)];
  for (const [name, value] of Object.entries(small))
    expect(large[name as keyof typeof large], name).toBeCloseTo(10 * value, 6);
});

it('docs/scaling.md names only metrics that are served', () => {
  const sources = globSync('src/**/*.ts', { cwd: ROOT }).map(read).join('\n');
  const named = namesIn(/\bwinnow_[a-z_]+/g);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !sources.includes(`'${name}'`))).toEqual([]);
});

it('docs/scaling.md names only settings that there are', () => {
  const settings = `${read('.env.example')}\n${read('docker-compose.yml')}`;
  const named = namesIn(/\b(?:WINNOW_[A-Z_]+|NUM_HISTORY_SHARDS|matching\.\w+)/g);
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((name) => !settings.includes(name))).toEqual([]);
});
