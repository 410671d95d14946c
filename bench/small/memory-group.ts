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
  },
  { root: '/sys/fs/cgroup', limit: 'memory.max', peak: 'memory.peak', kills: 'memory.events' },
];

/** A memory cgroup, in which a service runs as in a container of that size. */
export interface MemoryGroup {
  /** Starts something whose processes belong to the group. */
  start<Result>(start: () => Promise<Result>): Promise<Result>;
  /** The most memory that it has had in MiB, copies of files included, and how many processes were ended for it. */
  measure(): { peakMb: number; kills: number };
  remove(): void;
}

/** Creates a memory cgroup. @throws Error where that is not allowed */
export function createMemoryGroup(limitMb: number): MemoryGroup {
  const version = VERSIONS.find(({ root, limit }) => existsSync(join(root, limit.replace('max', 'stat'))));
  if (!version) throw new Error('this machine has no memory cgroups');
  const { root, limit, peak, kills } = version;
  const directory = join(root, `winnow-bench-${process.pid}`);
  mkdirSync(directory);
  writeFileSync(join(directory, limit), String(limitMb * MEGABYTE));
  const move = (group: string) => writeFileSync(join(group, 'cgroup.procs'), String(process.pid));
  const read = (file: string) => readFileSync(join(directory, file), 'utf8');
  return {
    async start(start) {
      move(directory);
      try {
        return await start();
      } finally {
        move(root);
      }
    },
    measure: () => ({
      peakMb: Number(read(peak)) / MEGABYTE,
      kills: Number(/^oom_kill (\d+)$/m.exec(read(kills))?.[1] ?? 0),
    }),
    remove: () => rmdirSync(directory),
  };
}
