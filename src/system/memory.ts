import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';

const MEGABYTE = 1024 * 1024;

/** The files of a memory cgroup, of the second version and of the first (cgroups(7)). */
const VERSIONS = [
  {
    mount: '/sys/fs/cgroup',
    line: /^0::(.*)$/m,
    limit: 'memory.max',
    usage: 'memory.current',
    cache: /^inactive_file (\d+)$/m,
  },
  {
    mount: '/sys/fs/cgroup/memory',
    line: /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m,
    limit: 'memory.limit_in_bytes',
    usage: 'memory.usage_in_bytes',
    cache: /^total_inactive_file (\d+)$/m,
  },
];

/** A cgroup of this process that has a limit. */
interface LimitedGroup {
  directory: string;
  limitBytes: number;
  version: (typeof VERSIONS)[number];
}

/** The memory in bytes of this machine or, where that is less, the limit of the container or cgroup. */
export const memoryLimit = (): number =>
  Math.min(totalmem(), ...limitedGroups().map(({ limitBytes }) => limitBytes));

/**
 * The memory in bytes that this process and its children can still take. Unlike
 * `process.availableMemory()`, it counts copies of files in a cgroup as free, because the kernel drops them
 * before it ends a process.
 */
export function availableMemory(): number {
  const free = limitedGroups().map(({ directory, limitBytes, version: { usage, cache } }) => {
    const [, cached = '0'] = cache.exec(read(join(directory, 'memory.stat'))) ?? [];
    return limitBytes - Number(read(join(directory, usage))) + Number(cached);
  });
  return Math.max(0, Math.min(availableInMachine(), ...free));
}

/** How many processes the kernel has ended for lack of memory since the start of the machine; 0 if it does not tell. */
export const countMemoryKills = (): number =>
  Number(/^oom_kill (\d+)$/m.exec(read('/proc/vmstat'))?.[1] ?? 0);

/**
 * How many of something fit in the memory.
 * @param most the number that is wanted where there is enough
 * @param size.eachMb MiB that each takes
 * @param size.besideMb MiB that everything else takes
 * @returns at least 1
 */
export const fitInMemory = (
  most: number,
  size: { eachMb: number; besideMb: number },
  totalBytes = memoryLimit(),
): number => Math.max(1, Math.min(most, Math.floor((totalBytes / MEGABYTE - size.besideMb) / size.eachMb)));

/** Up to so many MiB, the service saves memory at the cost of processor time. */
const LITTLE_MB = 2_048;

/**
 * Whether the machine or container has so little memory that the service saves it where that costs processor
 * time: V8 collects its garbage earlier, and there are fewer connections to the database.
 */
export const hasLittleMemory = (totalBytes = memoryLimit()): boolean => totalBytes <= LITTLE_MB * MEGABYTE;

/** The groups that bound this process: its own and those above it. In a container only those inside are seen. */
function limitedGroups(): LimitedGroup[] {
  const own = read('/proc/self/cgroup');
  return VERSIONS.flatMap((version) => {
    const [, path] = version.line.exec(own) ?? [];
    if (path === undefined) return [];
    // Without a namespace of cgroups, a container names its group by the path outside; inside it is the mount.
    return [...ancestorsOf(path), '/'].flatMap((name) => {
      const directory = join(version.mount, name);
      const limitBytes = Number(read(join(directory, version.limit)) || Number.NaN);
      // The second version says "max" where there is no limit, the first one a number beyond any memory.
      return limitBytes < totalmem() ? [{ directory, limitBytes, version }] : [];
    });
  });
}

function ancestorsOf(path: string): string[] {
  return path === '/' ? [] : [path, ...ancestorsOf(dirname(path))];
}

function availableInMachine(): number {
  const [, kilobytes] = /^MemAvailable:\s+(\d+) kB$/m.exec(read('/proc/meminfo')) ?? [];
  return kilobytes === undefined ? process.availableMemory() : Number(kilobytes) * 1024;
}

/** The content of a file of the kernel; empty where there is none, or no file descriptor is left. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
