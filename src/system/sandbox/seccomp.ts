/**
 * Programs for seccomp, the filter of the kernel for system calls: a sandboxed program that may run any code
 * gets one, so that less of the kernel can be attacked. What is denied fails with EPERM, as it does for a
 * user without privileges.
 */

/**
 * Numbers of the system calls that are denied, on x86-64 and arm64 (arch/x86/entry/syscalls,
 * asm-generic/unistd.h).
 */
const DENIED_CALLS: readonly (readonly [name: string, x64: number | undefined, arm64: number | undefined])[] =
  [
    // Other processes and their memory.
    ['ptrace', 101, 117],
    ['process_vm_readv', 310, 270],
    ['process_vm_writev', 311, 271],
    ['process_madvise', 440, 440],
    ['kcmp', 312, 272],
    ['pidfd_getfd', 438, 438],
    // Mounts and namespaces.
    ['mount', 165, 40],
    ['umount2', 166, 39],
    ['pivot_root', 155, 41],
    ['chroot', 161, 51],
    ['open_tree', 428, 428],
    ['move_mount', 429, 429],
    ['fsopen', 430, 430],
    ['fsconfig', 431, 431],
    ['fsmount', 432, 432],
    ['fspick', 433, 433],
    ['mount_setattr', 442, 442],
    ['open_tree_attr', 467, 467],
    ['unshare', 272, 97],
    ['setns', 308, 268],
    ['open_by_handle_at', 304, 265],
    ['name_to_handle_at', 303, 264],
    // Keys, and parts of the kernel that had many vulnerabilities.
    ['add_key', 248, 217],
    ['request_key', 249, 218],
    ['keyctl', 250, 219],
    ['bpf', 321, 280],
    ['io_uring_setup', 425, 425],
    ['io_uring_enter', 426, 426],
    ['io_uring_register', 427, 427],
    ['userfaultfd', 323, 282],
    ['perf_event_open', 298, 241],
    ['fanotify_init', 300, 262],
    ['modify_ldt', 154, undefined],
    ['uselib', 134, undefined],
    ['personality', 135, 92],
    ['vmsplice', 278, 75],
    // Memory that counts as that of no process, so that no limit applies to it.
    ['memfd_create', 319, 279],
    ['memfd_secret', 447, 447],
    ['shmget', 29, 194],
    ['msgget', 68, 186],
    ['semget', 64, 190],
    ['mbind', 237, 235],
    ['set_mempolicy', 238, 237],
    ['migrate_pages', 256, 238],
    ['move_pages', 279, 239],
    // The machine itself.
    ['init_module', 175, 105],
    ['finit_module', 313, 273],
    ['delete_module', 176, 106],
    ['kexec_load', 246, 104],
    ['kexec_file_load', 320, 294],
    ['reboot', 169, 142],
    ['swapon', 167, 224],
    ['swapoff', 168, 225],
    ['acct', 163, 89],
    ['quotactl', 179, 60],
    ['quotactl_fd', 443, 443],
    ['syslog', 103, 116],
    ['iopl', 172, undefined],
    ['ioperm', 173, undefined],
    ['settimeofday', 164, 170],
    ['clock_settime', 227, 112],
    ['clock_adjtime', 305, 266],
    ['adjtimex', 159, 171],
    ['vhangup', 153, 58],
  ];

/**
 * The constants of an architecture: its AUDIT_ARCH value and the numbers of the calls whose arguments are
 * checked.
 */
interface Architecture {
  audit: number;
  denied: readonly number[];
  socket: number;
  clone: number;
  fallocate: number;
  /** The first number of another calling convention (x32), which is denied as a whole. */
  foreignFrom?: number;
}
const CLONE3 = 435;
const ARCHITECTURES: Partial<Record<NodeJS.Architecture, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    denied: DENIED_CALLS.flatMap(([, number]) => number ?? []),
    socket: 41,
    clone: 56,
    fallocate: 285,
    foreignFrom: 0x40000000,
  },
  arm64: {
    audit: 0xc00000b7,
    denied: DENIED_CALLS.flatMap(([, , number]) => number ?? []),
    socket: 198,
    clone: 220,
    fallocate: 47,
  },
};

/**
 * Flags of `clone` that create namespaces: CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID,
 * NEWNET.
 */
const NAMESPACE_FLAGS = 0x7e020080;
/**
 * AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK, which lists the network interfaces. Others reach beyond the
 * network namespace (AF_VSOCK: the host of a virtual machine) or into rarely used parts of the kernel.
 */
const SOCKET_FAMILIES = [1, 2, 10, 16];

/** Instructions of the filter machine (linux/bpf_common.h): load a word, compare, test bits, return. */
const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;
/** Offsets in `struct seccomp_data`: the number, the architecture, the lower half of the first argument. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const EPERM = 0x00050001;
/** The C library then uses `clone`, whose flags a filter can read. */
const ENOSYS = 0x00050026;
/**
 * For `fallocate`, which takes gigabytes of a disk at once, and with FALLOC_FL_KEEP_SIZE more than RLIMIT_FSIZE
 * allows. The C library's `posix_fallocate` then writes the bytes.
 */
const EOPNOTSUPP = 0x0005005f;

type Instruction = readonly [code: number, value: number, jumpIfTrue?: number, jumpIfFalse?: number];

/**
 * The seccomp program for code that nobody has checked: it denies calls for debugging, mounts, namespaces,
 * keys, kernel modules, rarely used sockets, and memory and disk space outside of all limits. Calls of another architecture
 * end the process.
 * @returns the program as the kernel takes it: `struct sock_filter` in the machine's byte order (little
 * endian)
 * @throws Error for an architecture without a list of system calls
 */
export function seccompProgram(architecture: NodeJS.Architecture = process.arch): Buffer {
  const found = ARCHITECTURES[architecture];
  if (!found) throw new Error(`system calls cannot be filtered on ${architecture}`);
  const { audit, denied, socket, clone, fallocate, foreignFrom } = found;
  const program: Instruction[] = [
    [LOAD, ARCHITECTURE],
    [IF_EQUAL, audit, 1, 0],
    [RETURN, KILL_PROCESS],
    [LOAD, NUMBER],
    ...(foreignFrom === undefined ? [] : denyIf(IF_AT_LEAST, foreignFrom)),
    ...denied.flatMap((number) => denyIf(IF_EQUAL, number)),
    [IF_EQUAL, CLONE3, 0, 1],
    [RETURN, ENOSYS],
    [IF_EQUAL, fallocate, 0, 1],
    [RETURN, EOPNOTSUPP],
    [IF_EQUAL, clone, 0, 4],
    [LOAD, FIRST_ARGUMENT],
    [IF_ANY_BIT, NAMESPACE_FLAGS, 0, 1],
    [RETURN, EPERM],
    [RETURN, ALLOW],
    [IF_EQUAL, socket, 0, SOCKET_FAMILIES.length + 2],
    [LOAD, FIRST_ARGUMENT],
    ...SOCKET_FAMILIES.map(
      (family, index): Instruction => [IF_EQUAL, family, SOCKET_FAMILIES.length - index, 0],
    ),
    [RETURN, EPERM],
    [RETURN, ALLOW],
  ];
  return Buffer.concat(program.map(encode));
}

const denyIf = (condition: number, value: number): Instruction[] => [
  [condition, value, 0, 1],
  [RETURN, EPERM],
];

/**
 * Encodes one `struct sock_filter`: the code in two bytes, both jumps in one byte each, the value in four.
 */
function encode([code, value, jumpIfTrue = 0, jumpIfFalse = 0]: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(jumpIfTrue, 2);
  bytes.writeUInt8(jumpIfFalse, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}
