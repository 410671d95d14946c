import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SandboxedProgram } from './sandboxed-program.ts';

/** The user inside, who owns nothing. */
const NOBODY = '65534';
/**
 * Where the dynamic loader and the C library are. On most distributions some of them are links into `/usr`.
 */
const LIBRARY_PATHS = ['/usr/lib', '/usr/lib64', '/usr/lib32', '/lib', '/lib64'];

/** Size of the memory that programs share by name (`/dev/shm`), such as semaphores of Python. */
const SHARED_MEMORY_BYTES = 16 * 1024 * 1024;

/**
 * Arguments of bubblewrap for a program without network, whose file system has nothing but its own paths, the
 * system's libraries and an empty `/tmp`. Only `/tmp`, `/dev/shm` and the writable paths can be written to.
 * @param privileges how the program loses its privileges: it begins as nobody in a user namespace, or as root
 *   with no more capabilities than are needed to become another user
 */
export function bubblewrapArgs(
  program: SandboxedProgram,
  { privileges, programs }: { privileges: 'user-namespace' | 'root'; programs: readonly string[] },
): string[] {
  const {
    command,
    readOnlyPaths,
    cachePaths = [],
    writablePaths = [],
    mounts = [],
    hiddenPaths = [],
    memoryPaths = [],
    env = {},
    limits,
  } = program;
  const libraries = LIBRARY_PATHS.filter((path) => existsSync(path));
  const links = libraries.filter((path) => lstatSync(path).isSymbolicLink());
  const targets = mounts.map(({ target }) => target);
  const bound = [
    ...libraries.filter((path) => !links.includes(path)),
    ...[...programs, command[0], ...readOnlyPaths].filter((path) => !targets.includes(path)),
  ];
  return [
    ...(privileges === 'root' ? AS_ROOT : IN_USER_NAMESPACE),
    ...(privileges === 'root' || program.allowsUserNamespaces ? [] : ['--disable-userns']),
    // `--new-session` is left out: the program already has a session, without a terminal. In another one, a
    // bubblewrap that is killed while it starts would leave its child running, because signals to the process
    // group would miss it.
    ...['--die-with-parent', '--hostname', 'sandbox'],
    ...temporaryDirectory('/tmp', limits.temporaryMb * 1024 * 1024),
    // Mount points have directories around them, which bubblewrap would make accessible to root only.
    ...ancestorsOf([...bound, ...cachePaths, ...writablePaths, ...targets]).flatMap((path) => [
      '--dir',
      path,
    ]),
    ...bound.flatMap((path) => ['--ro-bind', path, path]),
    ...cachePaths.flatMap((path) => ['--ro-bind-try', path, path]),
    ...links.flatMap((path) => ['--symlink', readlinkSync(path), path]),
    ...writablePaths.flatMap((path) => ['--bind', path, path]),
    ...mounts.flatMap(({ source, target, isWritable }) => [
      isWritable ? '--bind' : '--ro-bind',
      source,
      target,
    ]),
    ...hiddenPaths
      .filter((path) => existsSync(path))
      .flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
    ...['--proc', '/proc', '--dev', '/dev', ...temporaryDirectory('/dev/shm', SHARED_MEMORY_BYTES)],
    ...memoryPaths.flatMap((path) => [
      ...['--perms', '1777', '--size', String(limits.temporaryMb * 1024 * 1024), '--tmpfs', path],
    ]),
    // Both are in memory without a limit.
    ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', '/tmp'],
    ...[
      '--clearenv',
      '--setenv',
      'HOME',
      '/tmp',
      '--setenv',
      'TMPDIR',
      '/tmp',
      '--setenv',
      'LANG',
      'C.UTF-8',
    ],
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    '--',
  ];
}

const IN_USER_NAMESPACE = [
  ...['--unshare-all', '--unshare-user', '--cap-drop', 'ALL'],
  ...['--uid', NOBODY, '--gid', NOBODY],
];
const AS_ROOT = [
  ...['--unshare-net', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup'],
  ...['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID', '--cap-add', 'CAP_SETPCAP'],
];

const temporaryDirectory = (path: string, bytes: number) => [
  ...['--perms', '1777', '--size', String(bytes), '--tmpfs', path],
];

/** The directories above the paths, each before those inside it. */
function ancestorsOf(paths: readonly string[]): string[] {
  const all = new Set<string>();
  const add = (path: string) => {
    if (path === '/') return;
    add(dirname(path));
    all.add(path);
  };
  for (const path of paths) add(dirname(path));
  return [...all];
}
