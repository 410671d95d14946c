import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Confinement, startConfined } from '../../../src/system/sandbox/confinement.ts';
import { seccompProgram } from '../../../src/system/sandbox/seccomp.ts';
import { CODE_PROGRAM } from './code-program.ts';
import { noBubblewrap } from './code-sandbox.ts';

/** The filter for system calls, by programs that make the calls. */

const PERL = '/usr/bin/perl';
const isRoot = process.getuid?.() === 0;
const confinements: Confinement[] = isRoot ? ['user-namespace', 'root-namespaces'] : ['user-namespace'];

/** Numbers on x86-64 and arm64, with arguments that are invalid where the call itself is allowed. */
const CALLS: [name: string, x64: number, arm64: number, args?: string][] = [
  ['ptrace', 101, 117],
  ['process_vm_readv', 310, 270],
  ['mount', 165, 40],
  ['umount2', 166, 39],
  ['pivot_root', 155, 41],
  ['chroot', 161, 51],
  ['move_mount', 429, 429],
  ['fsopen', 430, 430],
  ['unshare', 272, 97, '0x10000000'],
  ['setns', 308, 268],
  ['keyctl', 250, 219],
  ['add_key', 248, 217],
  ['bpf', 321, 280],
  ['io_uring_setup', 425, 425],
  ['userfaultfd', 323, 282],
  ['perf_event_open', 298, 241],
  ['memfd_create', 319, 279],
  ['shmget', 29, 194],
  ['msgget', 68, 186],
  ['kexec_load', 246, 104],
  ['init_module', 175, 105],
  ['clone with a user namespace', 56, 220, '0x10000000 | 17, 0, 0, 0, 0'],
  ['a socket of the host of a virtual machine', 41, 198, '40, 1, 0'],
  ['a raw packet socket', 41, 198, '17, 3, 0'],
];
const EPERM = 1;
const ENOSYS = 38;
const EOPNOTSUPP = 95;

/** Runs a Perl program with the filter. @returns what it printed */
async function runPerl(code: string, confinement: Confinement): Promise<string> {
  const program = {
    ...CODE_PROGRAM,
    command: [PERL, '-e', code] as const,
    systemCallFilter: 'required' as const,
  };
  const { child } = await startConfined(program, confinement);
  let printed = '';
  child.stdout?.on('data', (chunk) => {
    printed += chunk;
  });
  child.stdin?.end();
  for (const stream of child.stdio.slice(2)) if (stream && 'resume' in stream) stream.resume();
  await once(child, 'close');
  return printed;
}

describe.skipIf(noBubblewrap || !existsSync(PERL)).each(confinements)(
  'a filtered program (%s)',
  (confinement) => {
    test('is refused the system calls that only attacks need', async () => {
      const numbers = CALLS.map(([, x64, arm64, args]) => [
        process.arch === 'x64' ? x64 : arm64,
        args ?? '0, 0, 0, 0, 0',
      ]);
      const code = numbers
        .map(([number, args]) => `$! = 0; syscall(${number}, ${args}); print $! + 0, "\n";`)
        .join('');
      const errors = (await runPerl(code, confinement)).trim().split('\n').map(Number);
      expect(Object.fromEntries(CALLS.map(([name], index) => [name, errors[index]]))).toEqual(
        Object.fromEntries(CALLS.map(([name]) => [name, EPERM])),
      );
    });

    test('is told that clone3 does not exist, so that the C library uses clone', async () => {
      const printed = await runPerl(
        '$! = 0; syscall(435, 0, 0); print $! + 0, "\n"; print fork() ? "parent" : ""',
        confinement,
      );
      expect(printed).toBe(`${ENOSYS}\nparent`);
    });

    test('is told that no file system takes space for a file without its bytes', async () => {
      const number = process.arch === 'x64' ? 285 : 47;
      const code = `open(my $file, ">", "/tmp/file"); for my $mode (0, 1) { $! = 0; syscall(${number}, fileno($file), $mode, 0, 4096); print $! + 0, "\\n"; }`;
      expect(await runPerl(code, confinement)).toBe(`${EOPNOTSUPP}\n${EOPNOTSUPP}\n`);
    });

    test('opens sockets of the Internet and of files', async () => {
      const number = process.arch === 'x64' ? 41 : 198;
      const code = `for my $family (1, 2, 10, 16) { print syscall(${number}, $family, $family == 16 ? 3 : 1, 0) > 2 ? 1 : 0 }`;
      expect(await runPerl(code, confinement)).toBe('1111');
    });
  },
);

test('an architecture without a list of system calls is refused', () => {
  expect(() => seccompProgram('riscv64')).toThrow('cannot be filtered on riscv64');
});

test('the program for arm64 has the same form as that for x86-64', () => {
  const instructions = ['x64', 'arm64'].map((each) => seccompProgram(each as 'x64').length / 8);
  // Four calls and another calling convention exist on x86-64 only.
  expect(instructions[0]! - instructions[1]!).toBe(2 * 5);
});

test('a program that requires the filter does not run without bubblewrap', async () => {
  await expect(startConfined({ ...CODE_PROGRAM, systemCallFilter: 'required' }, 'user-only')).rejects.toThrow(
    'can only run in bubblewrap',
  );
});

test('a program that wants the filter where possible runs without bubblewrap', async () => {
  const { child } = await startConfined({ ...CODE_PROGRAM, systemCallFilter: 'where-possible' }, 'user-only');
  child.stdin?.end();
  for (const stream of child.stdio.slice(1)) if (stream && 'resume' in stream) stream.resume();
  expect(await once(child, 'close')).toEqual([0, null]);
});
