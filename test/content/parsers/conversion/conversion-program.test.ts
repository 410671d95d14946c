import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { storeCompiledParsers } from '../../../../src/content/parsers/conversion/compiled-parsers.ts';
import { conversionProgram } from '../../../../src/content/parsers/conversion/document-converter.ts';
import { findConfinement, startConfined } from '../../../../src/system/sandbox/confinement.ts';

/** What the sandboxed processes that convert documents can reach. */

const ROOT = join(import.meta.dirname, '../../../..');
const program = conversionProgram({});
const { confinement, reason: noBubblewrap } = await findConfinement(program);

/** Runs a script instead of the converters, confined like them. @returns what it prints */
async function runConfined(code: string, confined = program): Promise<unknown> {
  const [node] = confined.command;
  const { child } = await startConfined({ ...confined, command: [node, '-e', code] }, confinement);
  let printed = '';
  child.stdout?.on('data', (chunk) => {
    printed += chunk;
  });
  for (const stream of child.stdio.slice(2)) if (stream && 'resume' in stream) stream.resume();
  child.stdin?.end();
  await once(child, 'close');
  return JSON.parse(printed);
}

/** Statements that load a module when they are executed, unlike imports of types. */
const IMPORT = /^(?:import|export) (?!type )(?:[^;']* from )?'([^']+)'|\bimport\('([^']+)'\)/gm;
const REQUIRED = /\bcreateRequire\(import\.meta\.url\)\(\s*'([^']+)'/g;

/** The files and packages that a file loads, directly or through other files. */
function loadedBy(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  const source = readFileSync(file, 'utf8');
  for (const [, imported, dynamic = ''] of [...source.matchAll(IMPORT), ...source.matchAll(REQUIRED)]) {
    const name = imported ?? dynamic;
    if (name.startsWith('.')) loadedBy(resolve(dirname(file), name), loaded);
    else if (!name.startsWith('node:')) loaded.add(name);
  }
  return loaded;
}

test('the program may read all files and packages that it loads, and no packages besides', () => {
  const loaded = [...loadedBy(program.command.find((part) => part.endsWith('conversion-process.ts')) ?? '')];
  const packages = loaded
    .filter((path) => !path.startsWith('/'))
    .map((name) => join(ROOT, 'node_modules', name));
  const files = loaded.filter((path) => path.startsWith('/'));
  expect(packages).toHaveLength(16);
  const isReadable = (file: string) =>
    program.readOnlyPaths.some((path) => !relative(path, file).startsWith('..'));
  expect([...packages, ...files].filter((path) => !isReadable(path))).toEqual([]);
});

describe.skipIf(noBubblewrap)('a process in bubblewrap', () => {
  test('sees the packages of the converters, but none of the others and no other sources', async () => {
    const paths = ['node_modules/@temporalio', 'node_modules/playwright-core', 'node_modules/pg'];
    const sources = ['src/config.ts', 'src/system/encryption', 'src/system/sandbox/confinement.ts', '.env'];
    const seen = await runConfined(`
      const { existsSync } = require('node:fs');
      const exists = (paths) => paths.filter((path) => existsSync(${JSON.stringify(ROOT)} + '/' + path));
      console.log(JSON.stringify(exists(${JSON.stringify([...paths, ...sources, 'node_modules/pdf-parse'])})));`);
    expect(seen).toEqual(['node_modules/pdf-parse']);
  });

  test("starts with V8's compiled code of all parsers, which is stored once and which it cannot change", async () => {
    const cacheDir = await mkdtemp(join(tmpdir(), 'winnow-compiled-'));
    onTestFinished(() => rm(cacheDir, { recursive: true }));
    // Every user of the machine may have to reach it.
    await chmod(cacheDir, 0o755);
    const compiled = await storeCompiledParsers(program, { confinement, cacheDir });
    const [unused, used] = [join(cacheDir, 'parsers-compiled-v22'), join(cacheDir, 'parsers-compiled-v23')];
    for (const directory of [unused, used]) await mkdir(directory);
    const [eightDaysAgo, sixDaysAgo] = [8, 6].map((days) => new Date(Date.now() - days * 86_400_000));
    await utimes(unused, eightDaysAgo!, eightDaysAgo!);
    await utimes(used, sixDaysAgo!, sixDaysAgo!);
    await utimes(compiled, eightDaysAgo!, eightDaysAgo!);
    expect(await storeCompiledParsers(program, { confinement, cacheDir })).toBe(compiled);
    // Compiled code with which no service has started for a week is deleted.
    expect((await readdir(cacheDir)).sort()).toEqual([basename(used), basename(compiled)].sort());
    const files = await readdir(compiled, { recursive: true });
    // Each module is a file.
    expect(files.length).toBeGreaterThan(100);
    const seen = await runConfined(
      `const { writeFileSync } = require('node:fs');
      const cache = require('node:module').getCompileCacheDir();
      let code = 'written';
      try { writeFileSync(cache + '/file', ''); } catch (error) { code = error.code; }
      console.log(JSON.stringify([cache, code]));`,
      conversionProgram({}, compiled),
    );
    expect(seen).toEqual([expect.stringContaining(compiled), 'EROFS']);
  });

  test("starts without V8's compiled code after that was deleted", async () => {
    const started = await runConfined(
      'console.log(1)',
      conversionProgram({}, '/var/cache/deleted-meanwhile'),
    );
    expect(started).toBe(1);
  });

  test('has the filter for system calls', async () => {
    const status = await runConfined(
      `console.log(JSON.stringify(require('node:fs').readFileSync('/proc/self/status', 'utf8')))`,
    );
    // 2 is SECCOMP_MODE_FILTER.
    expect(status).toMatch(/^Seccomp:\s*2$/m);
  });
});
