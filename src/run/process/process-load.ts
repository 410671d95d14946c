/** How busy a process is. The processes that it starts, such as browsers, do not count. */
export interface ProcessLoad {
  /** Processor time since the last look, as a number of cores. */
  cores: number;
  /** Memory that is not swapped out. */
  memoryBytes: number;
}

/** Returns a function that tells how busy this process has been since its last call. */
export function watchLoad(): () => ProcessLoad {
  let at = performance.now();
  let used = process.cpuUsage();
  return () => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(used);
    const ms = Math.max(1, now - at);
    at = now;
    used = process.cpuUsage();
    return { cores: (user + system) / 1000 / ms, memoryBytes: process.memoryUsage.rss() };
  };
}
