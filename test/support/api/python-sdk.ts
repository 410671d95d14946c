import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { readConfig } from '../../../src/config.ts';

const run = promisify(execFile);
const DIRECTORY = path.join(import.meta.dirname, '..', '..', 'e2e', 'python-sdk');

/** A version of the SDK: the program that uses it, and the lists of the packages that it needs, its own first. */
const VERSIONS = {
  latest: { program: 'use_sdk.py', requirements: ['requirements.txt'] },
  '1.17': { program: 'use_sdk_1.py', requirements: ['requirements-1.17.txt', 'requirements.txt'] },
  '2.16': { program: 'use_sdk_2.py', requirements: ['requirements-2.16.txt', 'requirements.txt'] },
};
/** The oldest version that needs no packages beside those of the requirements. */
const CHECK =
  'import sys, pip; sys.exit(None if sys.version_info >= (3, 11) else "Python is older than 3.11")';

/** Why the Python SDK cannot be installed on this machine; `undefined` if it can. */
export async function findMissingPython(): Promise<string | undefined> {
  try {
    await run('python3', ['-c', CHECK]);
    return undefined;
  } catch (error) {
    return `python3 (3.11 or newer) with pip is missing: ${String(error).split('\n').at(-2)}`;
  }
}

/**
 * Installs packages into the cache directory, in the versions whose hashes are in a file.
 * @returns their directory
 */
async function install(requirements: string): Promise<string> {
  const file = path.join(DIRECTORY, requirements);
  const version = createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
    .slice(0, 16);
  const target = path.join(path.resolve(readConfig().cacheDir), `python-sdk-${version}`);
  if (existsSync(target)) return target;
  const draft = `${target}.${process.pid}`;
  await mkdir(path.dirname(target), { recursive: true });
  const options = ['--quiet', '--require-hashes', '--no-deps', '--only-binary', ':all:'];
  await run('python3', ['-m', 'pip', 'install', ...options, '--target', draft, '-r', file]);
  // Another run of the tests may have installed it meanwhile.
  await rename(draft, target).catch(() => rm(draft, { recursive: true }));
  return target;
}

/** Runs the program that uses a version of the SDK. @returns what it prints */
export async function usePythonSdk(
  given: Record<string, unknown>,
  version: keyof typeof VERSIONS = 'latest',
): Promise<unknown> {
  const { program, requirements } = VERSIONS[version];
  const directories = [];
  for (const each of requirements) directories.push(await install(each));
  const env = { ...process.env, PYTHONPATH: directories.join(path.delimiter), PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout } = await run('python3', [path.join(DIRECTORY, program), JSON.stringify(given)], { env });
  return JSON.parse(stdout);
}
