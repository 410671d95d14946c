import type { StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import type { Writable } from 'node:stream';
import { type ProcessGroup, startProcessGroup } from '../child-processes/process-group.ts';
import { createProgramHome } from '../child-processes/program-home.ts';
import { dropPrivilegesArgs, startUnprivileged } from '../child-processes/unprivileged-process.ts';
import { bubblewrapArgs } from './bubblewrap.ts';
import { endedFirst, type Limits, PRLIMIT, prlimitCommand, SETPRIV } from './limits.ts';
import type { SandboxedProgram } from './sandboxed-program.ts';
import { seccompProgram } from './seccomp.ts';

/**
 * How programs are confined, the strongest way first: by bubblewrap as a user of its own in a user namespace;
 * by bubblewrap that root starts, where user namespaces are off or the other user cannot reach the files;
 * only as another user, with access to the network and to what every user can read.
 */
const CONFINEMENTS = ['user-namespace', 'root-namespaces', 'user-only'] as const;
export type Confinement = (typeof CONFINEMENTS)[number];

/** A confinement that works on this machine. */
interface FoundConfinement {
  confinement: Confinement;
  /** Why bubblewrap cannot be used; absent if it is. */
  reason?: string;
}

/**
 * The user that programs run as when the service runs as root, unless they have their own. No account has
 * this number, and it is not the one of Chromium or yt-dlp.
 */
export const SANDBOX_UID = 61_913;

/** Standard input, output and errors, and the pipe for results, which works in both directions. */
const STDIO = ['pipe', 'pipe', 'pipe', 'pipe'] as const;
const BUBBLEWRAP = 'bwrap';
const PROGRAM_PATH = '/usr/local/bin:/usr/bin:/bin';
/** How long a program may take to end that has nothing to do. */
const PROBE_TIMEOUT_MS = 30_000;
/** The line of its standard error that says why it failed. */
const MESSAGE = /^(?:bwrap|choom|setpriv|prlimit|unshare): |error/i;

/** Whether a program cannot run without bubblewrap. */
const needsBubblewrap = ({ mounts, hiddenPaths, systemCallFilter }: SandboxedProgram) =>
  Boolean(mounts?.length || hiddenPaths?.length || systemCallFilter === 'required');

/**
 * Finds the strongest confinement that works, by running the program with its standard input closed.
 * @throws Error that says why if none works, or if only bubblewrap would do
 */
export async function findConfinement(program: SandboxedProgram): Promise<FoundConfinement> {
  const isRoot = process.getuid?.() === 0;
  const failures: string[] = [];
  for (const confinement of CONFINEMENTS) {
    if (confinement === 'root-namespaces' && !isRoot) continue;
    if (confinement === 'user-only' && needsBubblewrap(program)) continue;
    const failure = await probe(program, confinement);
    if (failure === undefined)
      return { confinement, ...(confinement === 'user-only' && failures[0] && { reason: failures[0] }) };
    failures.push(failure);
  }
  throw new Error(`sandboxed programs do not start: ${[...new Set(failures)].join('; ')}`);
}

/** @returns why the program does not run; `undefined` if it does */
async function probe(program: SandboxedProgram, confinement: Confinement): Promise<string | undefined> {
  const group = await startConfined(program, confinement);
  const timeout = setTimeout(group.kill, PROBE_TIMEOUT_MS);
  try {
    group.child.stdin?.end();
    for (const stream of group.child.stdio.slice(1)) if (stream && 'resume' in stream) stream.resume();
    const [code, signal] = await once(group.child, 'close');
    if (code === 0) return undefined;
    const lines = group.stderrTail().split('\n');
    return lines.find((line) => MESSAGE.test(line)) || `it ended with ${signal ?? `exit code ${code}`}`;
  } catch (error) {
    // The program that confines is not installed.
    return String(error);
  } finally {
    clearTimeout(timeout);
  }
}

/**
 * Starts a program in a sandbox. It is killed, with all its children, when our process ends.
 * @param stdio its file descriptors; by default pipes for standard input, output and errors, and one for
 * results
 */
export async function startConfined(
  program: SandboxedProgram,
  confinement: Confinement,
  stdio: Extract<StdioOptions, readonly unknown[]> = [...STDIO],
): Promise<ProcessGroup> {
  const { command, env, limits, uid = SANDBOX_UID } = program;
  const isRoot = process.getuid?.() === 0;
  if (confinement === 'user-only') {
    if (needsBubblewrap(program)) throw new Error(`${command[0]} can only run in bubblewrap`);
    const home = await createProgramHome('sandbox', uid);
    const group = startUnprivileged(boundedWithoutNamespaces(program, isRoot), {
      uid,
      home: home.path,
      env: { LANG: 'C.UTF-8', ...env },
      stdio,
    });
    // What cannot be deleted now is when our process has ended.
    group.child.once('close', () => home.remove().catch(() => undefined));
    return group;
  }
  const dropped = [SETPRIV, ...dropPrivilegesArgs(uid)] as const;
  const filter = program.systemCallFilter ? ['--seccomp', String(stdio.length)] : [];
  const whole: readonly [string, ...string[]] =
    confinement === 'root-namespaces'
      ? [
          BUBBLEWRAP,
          ...filter,
          ...bubblewrapArgs(program, { privileges: 'root', programs: [PRLIMIT, SETPRIV] }),
          ...[...dropped, '--bounding-set=-all', '--no-new-privs', '--'],
          ...prlimitCommand(limits, processesOfAll(limits)),
          ...command,
        ]
      : [
          ...(isRoot ? ([...dropped, '--', BUBBLEWRAP] as const) : ([BUBBLEWRAP] as const)),
          ...filter,
          ...bubblewrapArgs(program, { privileges: 'user-namespace', programs: [PRLIMIT] }),
          ...prlimitCommand(limits, limits.processes),
          ...command,
        ];
  const group = startProcessGroup(endedFirst(whole), {
    cwd: '/',
    env: { PATH: PROGRAM_PATH },
    stdio: program.systemCallFilter ? [...stdio, 'pipe'] : stdio,
  });
  if (program.systemCallFilter) sendFilter(group.child);
  return group;
}

/** Gives bubblewrap the program of seccomp, which it reads from the last of its pipes. */
function sendFilter({ stdio }: ProcessGroup['child']): void {
  // The last pipe is the one that was added to the others, so it is a stream that can be written.
  const pipe = stdio[stdio.length - 1] as Writable;
  // If bubblewrap does not start or ends early, its end says so.
  pipe.on('error', () => pipe.destroy());
  pipe.end(seccompProgram());
}

/**
 * The command with what can be bounded without namespaces. The kernel kills the program when our process
 * ends. Other processes of our user count too, so only root, who uses another one, can limit their number.
 */
function boundedWithoutNamespaces(
  { command, limits }: SandboxedProgram,
  isRoot: boolean,
): [string, ...string[]] {
  if (process.platform !== 'linux') return [...command];
  const bounds = prlimitCommand(limits, isRoot ? processesOfAll(limits) : undefined);
  return endedFirst([SETPRIV, '--pdeathsig', 'KILL', '--no-new-privs', '--', ...bounds, ...command]);
}

/** The limit where all sandboxed programs count together. Their number is about that of the processors. */
const processesOfAll = ({ processes }: Limits) => processes * Math.max(4, availableParallelism());
