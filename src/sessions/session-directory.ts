import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createProgramHome } from '../child-processes/program-home.ts';
import { SANDBOX_UID } from '../sandbox/confinement.ts';

/** The temporary directory of a session on its host. */
export interface SessionDirectory {
  path: string;
  /** The profile of its browser. */
  profile: string;
  /** Files that its browser and its code have stored. */
  downloads: string;
  /** Deletes the directory. */
  remove(): Promise<void>;
}

/** Creates the directory of a session, and deletes those of hosts that were killed. */
export async function createSessionDirectory(): Promise<SessionDirectory> {
  const home = await createProgramHome('session', SANDBOX_UID);
  const [profile, downloads] = [join(home.path, 'profile'), join(home.path, 'downloads')];
  for (const path of [profile, downloads]) {
    await mkdir(path, { mode: 0o700 });
    if (process.getuid?.() === 0) await chown(path, SANDBOX_UID, SANDBOX_UID);
  }
  return { path: home.path, profile, downloads, remove: home.remove };
}
