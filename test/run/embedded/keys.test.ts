import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadFirstTeamKey, loadSecretKey } from '../../../src/run/embedded/keys.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'winnow-keys-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

test('a key is generated once, stored readable for its owner only, and found again', () => {
  const first = loadFirstTeamKey({ dataDir });
  expect(first).toEqual({
    value: expect.stringMatching(/^fc-[a-z0-9]{32}$/),
    file: join(dataDir, 'api-key'),
    isNew: true,
  });
  expect(statSync(join(dataDir, 'api-key')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(dataDir, 'api-key'), 'utf8')).toBe(`${first.value}\n`);
  expect(loadFirstTeamKey({ dataDir })).toEqual({ ...first, isNew: false });
});

test('a key from a setting is used and not stored', () => {
  expect(loadFirstTeamKey({ dataDir, apiKey: 'fc-given' })).toEqual({
    value: 'fc-given',
    file: undefined,
    isNew: false,
  });
  expect(() => statSync(join(dataDir, 'api-key'))).toThrow('ENOENT');
});

test('the secret key has 256 bits and differs per data directory', () => {
  const one = loadSecretKey({ dataDir }).value;
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  expect(loadSecretKey({ dataDir: join(dataDir, 'other') }).value).not.toBe(one);
});

test('an empty key file is an error and is not replaced by a new key', () => {
  writeFileSync(join(dataDir, 'secret-key'), '');
  expect(() => loadSecretKey({ dataDir })).toThrow(join(dataDir, 'secret-key'));
});
