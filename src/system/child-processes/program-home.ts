import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { codeOf } from '../../errors.ts';
import { listen } from '../server.ts';
import { deleteDirectory } from './delete-directory.ts';

/** A temporary home directory of a child process. */
export interface ProgramHome {
  path: string;
  /** How many directories of owners that were killed were removed at its creation. */
  abandoned: number;
  /** Removes the directory and its content. */
  remove(): Promise<void>;
}

/** The owner socket is beside its directory, so that the program inside cannot remove it. */
const OWNER_SOCKET_SUFFIX = '.owner';

/** Codes that mean that the file system or the length of the path allows no socket. */
const SOCKET_UNSUPPORTED_CODES = new Set(['EINVAL', 'ENAMETOOLONG', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM']);

/**
 * Identifies this boot of this machine, because a socket proves nothing about processes of other machines.
 */
const BOOT_ID = readBootId();

/**
 * Creates a home directory for a program, and removes those of the same purpose whose owners were killed.
 *
 * Each directory has an owner socket that our process listens on while it lives. A refused connection proves
 * that the owner is gone, also where it is in another pid namespace and its number means nothing here.
 * Directories without that proof stay: those of other machines or of an earlier boot that share the temporary
 * directory, and those whose owner could not make a socket.
 * @param purpose part of the name of the directory, such as `media`
 * @param uid the user that the program runs as when the service runs as root
 */
export async function createProgramHome(purpose: string, uid: number): Promise<ProgramHome> {
  const prefix = `winnow-${purpose}-`;
  const abandoned = await removeAbandonedHomes(prefix);
  const home = await mkdtemp(path.join(tmpdir(), `${prefix}${process.pid}-${BOOT_ID}-`));
  const owner = await createOwnerSocket(home);
  if (process.getuid?.() === 0) await chown(home, uid, uid);
  return {
    path: home,
    abandoned,
    async remove() {
      await deleteDirectory(home);
      // Closing removes the socket too.
      owner?.close();
    },
  };
}

/** Listens on the owner socket of a directory. @returns `undefined` if the file system allows no socket */
async function createOwnerSocket(home: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy()).unref();
  try {
    // A connection that is not accepted shows all the same that the socket has an owner.
    await listen(server, { path: home + OWNER_SOCKET_SUFFIX }, () => undefined);
    return server;
  } catch (error) {
    if (SOCKET_UNSUPPORTED_CODES.has(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** @returns how many there were */
async function removeAbandonedHomes(prefix: string): Promise<number> {
  let removed = 0;
  const isOurs = new RegExp(`^${prefix}\\d+-${BOOT_ID}-\\w+\\${OWNER_SOCKET_SUFFIX}$`);
  for (const name of await readdir(tmpdir())) {
    const socket = path.join(tmpdir(), name);
    if (!isOurs.test(name) || !(await isAbandoned(socket))) continue;
    await deleteDirectory(socket.slice(0, -OWNER_SOCKET_SUFFIX.length));
    await rm(socket, { force: true });
    removed++;
  }
  return removed;
}

async function isAbandoned(socket: string): Promise<boolean> {
  const connection = connect(socket);
  try {
    await once(connection, 'connect');
    return false;
  } catch (error) {
    return codeOf(error) === 'ECONNREFUSED';
  } finally {
    connection.destroy();
  }
}

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
  } catch (error) {
    // The file exists only on Linux, and only there do containers share a directory.
    if (codeOf(error) === 'ENOENT') return 'local';
    throw error;
  }
}
