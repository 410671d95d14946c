import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * Finds the directory that the program runs in. A checkout is that directory. The npm package has the program in
 * `program/`, which is copied below the cache, because Node runs no TypeScript below `node_modules`, and because `npm ci`
 * there installs the dependencies exactly as package-lock.json has them (decision 0056).
 * @param {string} packageRoot the directory that holds `bin`
 * @param {string} cache the directory for what can be downloaded again
 * @returns {{root: string, isPackaged: boolean}}
 */
export function findProgram(packageRoot, cache) {
  const packed = join(packageRoot, 'program');
  if (!existsSync(join(packed, 'package-lock.json'))) return { root: packageRoot, isPackaged: false };
  const { version, winnowBuild } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
  const programs = programsBelow(cache);
  const root = join(programs, `${version}-${winnowBuild}`);
  if (!existsSync(root)) copyProgram(packed, { programs, root });
  return { root, isPackaged: true };
}

const programsBelow = (cache) => join(cache, 'programs');

/** The copy gets its name when it is whole, so that a killed start leaves no half of a program. */
function copyProgram(packed, { programs, root }) {
  mkdirSync(programs, { recursive: true });
  const draft = join(programs, `.draft-${process.pid}`);
  rmSync(draft, { recursive: true, force: true });
  cpSync(packed, draft, { recursive: true });
  try {
    renameSync(draft, root);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another start has been quicker.
    if (!existsSync(root)) throw error;
  }
}

/**
 * Notes that this process runs a packaged program, so that a newer version does not remove it.
 * @param {string} root the directory of the program
 */
export function markInUse(root) {
  const users = join(root, '.users');
  mkdirSync(users, { recursive: true });
  const mark = join(users, String(process.pid));
  writeFileSync(mark, '');
  process.on('exit', () => rmSync(mark, { force: true }));
}

/**
 * Removes the programs of other versions that no process runs. It is called when a new one is installed.
 * @param {string} cache the directory for what can be downloaded again
 * @param {string} root the directory of the program that stays
 */
export function removeOtherPrograms(cache, root) {
  const programs = programsBelow(cache);
  for (const name of readdirSync(programs)) {
    const path = join(programs, name);
    if (path !== root && !isInUse(path, name)) rmSync(path, { recursive: true, force: true });
  }
}

function isInUse(path, name) {
  const draftOf = /^\.draft-(\d+)$/.exec(name)?.[1];
  if (draftOf) return isAlive(Number(draftOf));
  const users = join(path, '.users');
  return existsSync(users) && readdirSync(users).some((pid) => isAlive(Number(pid)));
}

/**
 * Whether there is a process of this id, also one of another user.
 * @param {number} pid
 */
export function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
