import { existsSync } from 'node:fs';

/** The resources that a sandboxed program may use. */
export interface Limits {
  /** Memory of all its processes together, in MiB. */
  memoryMb: number;
  /** Writable memory that the program reserves but never uses, in MiB; see {@link NODE_RESERVED_MB}. */
  reservedMb: number;
  /** Processor time of each process, over its whole life. */
  cpuSeconds: number;
  /** Processes and threads at once. */
  processes: number;
  openFiles: number;
  /** Size of its `/tmp`, and of each other directory in memory, in MiB. */
  temporaryMb: number;
  /** Size of each file that it writes, in MiB. A write beyond it fails with EFBIG, or ends the process by SIGXFSZ. */
  fileMb: number;
}

/**
 * V8 reserves 512 MiB for the code that it compiles, and Node starts threads whose stacks are counted too.
 */
export const NODE_RESERVED_MB = 576;

const MEGABYTE = 1024 * 1024;

/**
 * The command that gives a program limits of the kernel. The limit of memory is that of writable memory
 * (RLIMIT_DATA), because V8 also reserves gigabytes of addresses that it cannot write to.
 * @param processes the limit of processes of the user, or `undefined` for none
 */
export const prlimitCommand = (
  { memoryMb, reservedMb, cpuSeconds, openFiles, fileMb }: Limits,
  processes: number | undefined,
): [string, ...string[]] => [
  PRLIMIT,
  `--data=${(memoryMb + reservedMb) * MEGABYTE}`,
  `--cpu=${cpuSeconds}`,
  `--nofile=${openFiles}`,
  `--fsize=${fileMb * MEGABYTE}`,
  '--core=0',
  ...(processes === undefined ? [] : [`--nproc=${processes}`]),
  '--',
];

/** Programs of the package util-linux, which every distribution has. */
export const PRLIMIT = '/usr/bin/prlimit';
export const SETPRIV = '/usr/bin/setpriv';
export const UNSHARE = '/usr/bin/unshare';
const CHOOM = '/usr/bin/choom';
const HAS_CHOOM = existsSync(CHOOM);

/**
 * The command of a program that the kernel ends before any process of the service when memory is short: it can
 * be started again, while the end of a worker or of Postgres interrupts all work. Util-linux before 2.33 has
 * no program for that.
 */
export const endedFirst = (command: readonly [string, ...string[]]): [string, ...string[]] =>
  HAS_CHOOM ? [CHOOM, '-n', '500', '--', ...command] : [...command];
