import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PackedPackage, packPackage } from '../../scripts/package.ts';
import { runCommand } from '../../src/run/embedded/command.ts';
import { readVersion } from '../../src/system/version.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** More than this is a sign that something is in the package which does not belong there. */
const MAX_PACKED_BYTES = 3_000_000;

const service = useService();
const home = mkdtempSync(join(tmpdir(), 'winnow-npm-package-'));
const folder = join(home, 'empty');
const cache = join(home, 'cache');
const programs = join(cache, 'programs');
const settings = {
  WINNOW_CACHE_DIR: cache,
  WINNOW_DATA_DIR: join(home, 'data'),
  WINNOW_PROGRAM: '',
  npm_execpath: '',
  npm_command: '',
  PATH: `${join(home, 'bin')}:${process.env.PATH}`,
};
let packed: PackedPackage;

const winnow = (...args: string[]) =>
  runCommand(join(folder, 'node_modules', '.bin', 'winnow'), args, { cwd: folder, settings });

/** In place of `npm ci`, which would download for half a minute: the packages of this checkout, which the same lock file names. */
function writeNpm(): void {
  mkdirSync(join(home, 'bin'));
  writeFileSync(
    join(home, 'bin', 'npm'),
    `#!/bin/sh\necho "$@" >> ${join(home, 'npm-calls')}\nln -s ${join(ROOT, 'node_modules')} node_modules\n`,
    { mode: 0o755 },
  );
}

beforeAll(async () => {
  packed = await packPackage(join(home, 'dist'));
  mkdirSync(folder);
  const installed = await runCommand(
    'npm',
    ['install', '--no-audit', '--no-fund', '--offline', packed.path],
    {
      cwd: folder,
    },
  );
  expect(installed.stderr).toBe('');
  writeNpm();
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('the npm package', () => {
  test('holds what runs and no tests, benchmarks or dependencies, and is small', async () => {
    const names = packed.files.map(({ path }) => path);
    const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(ROOT, 'src', name)).isFile())
      .map((name) => `program/src/${name}`);
    expect(names).toEqual(expect.arrayContaining([...sources, 'program/package-lock.json', 'bin/winnow.js']));
    expect([...new Set(names.map((name) => name.split('/').slice(0, 2).join('/')))].sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'bin/packaged-program.js',
      'bin/settings-file.js',
      'bin/winnow.js',
      'package.json',
      'program/docs',
      'program/migrations',
      'program/package-lock.json',
      'program/package.json',
      'program/src',
    ]);
    expect(names.filter((name) => /\.test\.|node_modules/.test(name))).toEqual([]);
    expect(packed.size).toBeLessThan(MAX_PACKED_BYTES);
    expect(packed.version).toBe(readVersion());
  });

  test('is the only package in the folder, and of the programs of other versions keeps those that run', async () => {
    const running = spawn('sleep', ['120']);
    try {
      for (const name of ['0.0.1-unused', '0.0.2-running'])
        mkdirSync(join(programs, name, '.users'), { recursive: true });
      writeFileSync(join(programs, '0.0.2-running', '.users', String(running.pid)), '');
      const { exitCode, stdout } = await winnow('--help');
      expect(stdout).toContain('winnow help COMMAND');
      expect(exitCode).toBe(0);
      const program = readdirSync(programs).find((name) => name.startsWith(`${readVersion()}-`)) ?? '';
      expect(readdirSync(programs).sort()).toEqual(['0.0.2-running', program].sort());
      expect(readdirSync(join(programs, program, '.users'))).toEqual([]);
      expect(readdirSync(join(folder, 'node_modules')).sort()).toEqual([
        '.bin',
        '.package-lock.json',
        'winnow',
      ]);
    } finally {
      running.kill();
    }
  });

  test('finds out what a start needs, and is installed only once', async () => {
    expect((await winnow('doctor')).stdout).toMatch(/^ok +Node +v24/m);
    const { stdout } = await runCommand('cat', [join(home, 'npm-calls')]);
    expect(stdout).toBe('ci --omit=dev --no-audit --no-fund --loglevel=http\n');
  });

  test('names commands as npx runs them', async () => {
    const { stdout } = await runCommand('npx', ['winnow', '--help'], {
      cwd: folder,
      settings: { ...settings, PATH: process.env.PATH ?? '' },
    });
    expect(stdout).toContain('npx winnow help COMMAND');
  });

  test('scrapes with the settings of .env, of which it takes only those that are surely its own', async () => {
    await using pages = await startPages({ '/': '<title>Packed</title><p>Text of the page.</p>' });
    const path = join(folder, '.env');
    writeFileSync(
      path,
      `# Also of another program\nPORT=none\nWINNOW_URL=${service.url}\nWINNOW_API_KEY='${service.key}'\n`,
    );
    const { stdout, stderr, exitCode } = await winnow('scrape', pages.url);
    expect(stderr).toBe('');
    expect(stdout).toContain('Text of the page.');
    expect(exitCode).toBe(0);
    expect((await winnow('doctor')).stderr).toContain(
      `Settings that begin with WINNOW_ are read from ${path}. The other 1 may`,
    );
    rmSync(path);
  });

  test('takes all settings from the file that WINNOW_ENV_FILE names, and says so if it cannot be read', async () => {
    const path = join(home, 'settings');
    writeFileSync(path, 'PORT=none\n');
    const run = () =>
      runCommand(join(folder, 'node_modules', '.bin', 'winnow'), ['doctor'], {
        cwd: folder,
        settings: { ...settings, WINNOW_ENV_FILE: path },
      });
    expect(await run()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('PORT') });
    rmSync(path);
    const { exitCode, stderr } = await run();
    expect(stderr).toContain(`The settings in ${path} cannot be read (ENOENT).`);
    expect(exitCode).toBe(2);
    expect(existsSync(path)).toBe(false);
  });
});
