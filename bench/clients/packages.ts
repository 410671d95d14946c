import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from './run-command.ts';

/** The packages of a client, each in a fixed version. */
export interface Packages {
  registry: 'npm' | 'PyPI';
  names: string[];
  /** Packages of PyPI whose dependencies are not needed for what is called. */
  alone?: string[];
}

export const FROM_NPM = (...names: string[]): Packages => ({ registry: 'npm', names });
export const FROM_PYPI = (...names: string[]): Packages => ({ registry: 'PyPI', names });

const PROGRAMS = path.join(import.meta.dirname, 'programs');
/** Packages of npm that are older than their own peers, and packages whose installation would run programs. */
const NPM_OPTIONS = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error'];
const PIP_OPTIONS = ['--quiet', '--disable-pip-version-check', '--root-user-action=ignore'];

/**
 * Installs packages below a directory, unless they are there.
 * @returns the command that runs a program beside them, and its settings
 * @throws Error with the end of the output of the package manager
 */
export async function prepare(packages: Packages, program: string, directory: string) {
  const key = createHash('sha256').update(JSON.stringify(packages)).digest('hex').slice(0, 12);
  const home = path.join(directory, `${path.parse(program).name}-${key}`);
  const isThere = await readFile(path.join(home, 'installed'), 'utf8').catch(() => undefined);
  if (isThere === undefined) await install(packages, home);
  return commandOf(packages, program, home);
}

/** Installs into a directory of another name first, so that an interrupted installation is not taken for a whole one. */
async function install({ registry, names, alone = [] }: Packages, home: string): Promise<void> {
  const draft = `${home}.draft`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  if (registry === 'npm') {
    await writeFile(path.join(draft, 'package.json'), '{"private":true,"type":"module"}');
    await run(['npm', 'install', ...NPM_OPTIONS, ...names], draft);
  } else {
    const pip = ['python3', '-m', 'pip', 'install', ...PIP_OPTIONS, '--target', 'packages'];
    await run([...pip, ...names], draft);
    if (alone.length > 0) await run([...pip, '--no-deps', ...alone], draft);
  }
  await writeFile(path.join(draft, 'installed'), names.join('\n'));
  await rename(draft, home);
}

/** The command that runs the program, which is copied to where its language finds the packages. */
async function commandOf({ registry }: Packages, program: string, home: string) {
  for (const name of await readdir(PROGRAMS)) await cp(path.join(PROGRAMS, name), path.join(home, name));
  const file = path.join(home, program);
  if (registry === 'npm') return { command: [process.execPath, file] };
  return { command: ['python3', file], settings: { PYTHONPATH: path.join(home, 'packages') } };
}
