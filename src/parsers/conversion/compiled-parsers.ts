import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { storeCompiledCode } from '../../sandbox/compiled-code.ts';
import type { Confinement } from '../../sandbox/confinement.ts';
import type { SandboxedProgram } from '../../sandbox/sandboxed-program.ts';
import { LOAD_ONLY } from './converters.ts';

/**
 * Stores V8's compiled code of the parsers, unless the cache directory has it.
 * @param program the program that converts documents, without compiled code
 * @returns its directory
 * @throws Error if the parsers cannot be loaded
 */
export async function storeCompiledParsers(
  program: SandboxedProgram,
  { confinement, cacheDir }: { confinement: Confinement; cacheDir: string },
): Promise<string> {
  const { command, readOnlyPaths, env } = program;
  const parts = [process.version, hashOf(readOnlyPaths), confinement];
  const directory = resolve(cacheDir, `parsers-compiled-${parts.join('-')}`);
  if (existsSync(directory)) return directory;
  await storeCompiledCode({
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
  return directory;
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
