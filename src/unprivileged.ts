import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Makes a directory for as long as a program of ours runs. Those of processes that were killed are removed: the name
 * says whose one is.
 * @param purpose first part of its name
 * @param uid the user that the program runs as when the service runs as root
 */
export async function makeHome(purpose: string, uid: number): Promise<string> {
  const prefix = `winnow-${purpose}-`;
  await sweep(prefix);
  const home = await mkdtemp(path.join(tmpdir(), `${prefix}${process.pid}-`));
  if (process.getuid?.() === 0) await chown(home, uid, uid);
  return home;
}

/** A command as root gives it: it sheds root's rights first. Anybody else has none to shed. */
export function withoutRights(uid: number, command: [string, ...string[]]): [string, ...string[]] {
  if (process.getuid?.() !== 0) return command;
  return ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--inh-caps=-all', ...command];
}

async function sweep(prefix: string): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : 0;
    if (owner && !isAlive(owner)) await rm(path.join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
