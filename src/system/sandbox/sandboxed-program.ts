import type { Limits } from './limits.ts';

/**
 * A file or directory of the host and its path inside the sandbox. A socket that is read-only can be
 * connected to.
 */
export interface Mount {
  source: string;
  target: string;
  isWritable?: boolean;
}

/**
 * A program to run in a sandbox. Paths are absolute, and are the same inside except for those of `mounts`.
 */
export interface SandboxedProgram {
  command: readonly [string, ...string[]];
  /** Files and directories that the program may read, in addition to the libraries of the system. */
  readOnlyPaths: readonly string[];
  /** Files and directories that it may read if they exist: caches, without which it is only slower. */
  cachePaths?: readonly string[];
  /** Files and directories that the program may change. */
  writablePaths?: readonly string[];
  /** Files and directories of the host that have another path inside. They need bubblewrap. */
  mounts?: readonly Mount[];
  /** Directories that are empty inside, although they are in one of the others. They need bubblewrap. */
  hiddenPaths?: readonly string[];
  /** Directories in memory in addition to `/tmp`, such as `/dev/shm`. */
  memoryPaths?: readonly string[];
  /** Whether the program may create user namespaces, which Chromium's own sandbox needs. */
  allowsUserNamespaces?: boolean;
  /**
   * Denies the system calls that only attacks need; see `seccompProgram`. It needs bubblewrap: without it, a
   * program that requires the filter does not start, and one with the value `where-possible` runs unfiltered.
   */
  systemCallFilter?: 'required' | 'where-possible';
  /**
   * The user that it runs as when the service runs as root. Where no user namespace can be used, the limit of
   * processes is that of all programs of the user together.
   */
  uid?: number;
  /** Its environment, in addition to HOME, TMPDIR and LANG. */
  env?: Record<string, string>;
  limits: Limits;
}
