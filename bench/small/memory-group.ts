import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MEGABYTE = 1024 * 1024;

/** The names that the two versions of cgroups have for the same things. */
const VERSIONS = [
  {
    root: '/sys/fs/cgroup/memory',
    limit: 'memory.limit_in_bytes',
    peak: 'memory.max_usage_in_bytes',
    kills: 'memory.oom_control',
    usage: 'memory.usage_in_bytes',
    cache: /^total_inactive_file (\d+)$/m,
  },
  {
    root: '/sys/fs/cgroup',
    limit: 'memory.max',
    peak: 'memory.peak',
    kills: 'memory.events',
    usage: 'memory.current',
    cache: /^inactive_file (\d+)$/m,
  },
];

/** A memory cgroup, in which a service runs as in a container of that size. */
export interface MemoryGroup {
  /** A command that replaces itself by the one that is appended, whose processes belong to the group. */
  within: string[];
  /** The most memory that it has had in MiB, copies of files included, and how many processes were ended for it. */
  measure(): { peakMb: number; kills: number };
  /** Its memory in MiB at this moment, without the copies of files that the kernel would drop first. */
  needMb(): number;
  remove(): void;
}

/** Creates a memory cgroup. @throws Error where that is not allowed */
export function createMemoryGroup(limitMb: number): MemoryGroup {
  const version = VERSIONS.find(({ root, limit }) => existsSync(join(root, limit.replace('max', 'stat'))));
  if (!version) throw new Error('this machine has no memory cgroups');
  const { root, limit, peak, kills, usage, cache } = version;
  const directory = join(root, `winnow-bench-${process.pid}`);
  mkdirSync(directory);
  writeFileSync(join(directory, limit), String(limitMb * MEGABYTE));
  const read = (file: string) => readFileSync(join(directory, file), 'utf8');
  return {
    // A process that moves takes nothing along of what it has already, so the service begins in the group.
    within: ['sh', '-c', `echo $$ > ${join(directory, 'cgroup.procs')} && exec "$@"`, 'sh'],
    measure: () => ({
      peakMb: Number(read(peak)) / MEGABYTE,
      kills: Number(/^oom_kill (\d+)$/m.exec(read(kills))?.[1] ?? 0),
    }),
    needMb: () => (Number(read(usage)) - Number(cache.exec(read('memory.stat'))?.[1] ?? 0)) / MEGABYTE,
    remove: () => rmdirSync(directory),
  };
}
