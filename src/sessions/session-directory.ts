import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createProgramHome } from '../system/child-processes/program-home.ts';

/**
 * The user that browsers and code of sessions run as when the service runs as root. It is another one than
 * that of documents, so that code which starts many processes does not keep documents from being parsed.
 */
export const SESSION_UID = 61_914;

/** The name of the socket of the DevTools protocol. */
export const PROTOCOL_SOCKET = 'cdp.sock';

/** The temporary directory of a session on its host. */
export interface SessionDirectory {
  path: string;
  /** Has the Unix socket of the DevTools protocol for code, once a session uses the browser. */
  protocol: string;
  /** The profile of its browser. */
  profile: string;
  /** Files that its browser and its code have stored, and those that were uploaded. */
  downloads: string;
  /** Downloads of its browser that are not complete yet, which code does not see. */
  incoming: string;
  /** Files of code's Playwright, and links to the downloads by their ids. */
  artifacts: string;
  /** Files that are being uploaded, which no sandbox sees. */
  uploads: string;
  /** How many directories of hosts that were killed were deleted at its creation. */
  abandoned: number;
  /** Deletes the directory. */
  remove(): Promise<void>;
}

/** Creates the directory of a session, and deletes those of hosts that were killed. */
export async function createSessionDirectory(): Promise<SessionDirectory> {
  const home = await createProgramHome('session', SESSION_UID);
  const at = (name: string) => join(home.path, name);
  const directories = {
    protocol: at('protocol'),
    profile: at('profile'),
    downloads: at('downloads'),
    incoming: at('incoming'),
    artifacts: at('artifacts'),
    uploads: at('uploads'),
  };
  for (const path of Object.values(directories)) {
    await mkdir(path, { mode: 0o700 });
    await giveToSession(path);
  }
  return { ...home, ...directories };
}

/**
 * Gives a file or directory to the user of sessions. A service that does not run as root is that user itself.
 */
export async function giveToSession(path: string): Promise<void> {
  if (process.getuid?.() === 0) await chown(path, SESSION_UID, SESSION_UID);
}
