import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { storeCompiledCode } from '../../../system/sandbox/compiled-code.ts';
import type { Confinement } from '../../../system/sandbox/confinement.ts';
import type { SandboxedProgram } from '../../../system/sandbox/sandboxed-program.ts';
import { LOAD_ONLY } from './converters.ts';

const PREFIX = 'parsers-compiled-';
/** Compiled code that no service has started with for a week is that of an older version. */
const MAX_UNUSED_MS = 7 * 24 * 3_600_000;

/**
 * Stores V8's compiled code of the parsers, unless the cache directory has it, and deletes that of older
 * versions. A service of such a version that still runs only starts its processes slower then.
 * @param program the program that converts documents, without compiled code
 * @returns its directory
 * @throws Error if the parsers cannot be loaded
 */
export async function storeCompiledParsers(
  program: SandboxedProgram,
  { confinement, cacheDir }: { confinement: Confinement; cacheDir: string },
): Promise<string> {
  const { readOnlyPaths } = program;
  const parts = [process.version, hashOf(readOnlyPaths), confinement];
  const directory = resolve(cacheDir, `${PREFIX}${parts.join('-')}`);
  if (!existsSync(directory)) await compile(directory, program, confinement);
  const now = new Date();
  await utimes(directory, now, now);
  await deleteUnused(cacheDir);
  return directory;
}

function compile(directory: string, program: SandboxedProgram, confinement: Confinement): Promise<void> {
  const { command, env } = program;
  return storeCompiledCode({
    directory,
    confinement,
    program: (writable) => ({
      ...program,
      // The last argument is the settings of the conversion.
      command: [command[0], ...command.slice(1, -1), LOAD_ONLY],
      writablePaths: [writable],
      env: { ...env, NODE_COMPILE_CACHE: writable },
    }),
  });
}

/**
 * Deletes the compiled code in a directory that was not used for long, and what an ended process left
 * unfinished.
 */
async function deleteUnused(cacheDir: string): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = resolve(cacheDir, name);
    // Another service may delete it at the same time.
    const usedAt = (await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now();
    if (Date.now() - usedAt > MAX_UNUSED_MS) await rm(path, { recursive: true, force: true });
  }
}

/** Changes with the sources of the parsers and the versions of the packages. */
function hashOf(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths) {
    const isPackage = existsSync(join(path, 'package.json'));
    for (const file of isPackage ? [join(path, 'package.json')] : filesIn(path))
      hash.update(file).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 12);
}

const filesIn = (path: string): string[] =>
  statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
    : [path];
