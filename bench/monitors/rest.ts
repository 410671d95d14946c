import { setTimeout as sleep } from 'node:timers/promises';
import { type MeasuredService, startMeasuredService } from '../crawl/service.ts';
import { short, table } from '../figures.ts';
import { byRole, sampleProcesses } from '../processes.ts';
import { addMonitors, cpuOf } from './monitored-service.ts';

const REST_MS = 90_000;
const MEASURED_MS = 120_000;
/** No measurement lasts until then. */
const ONCE_A_YEAR = new Date(Date.now() + 180 * 86_400_000);
const CRON = `0 12 ${ONCE_A_YEAR.getUTCDate()} ${ONCE_A_YEAR.getUTCMonth() + 1} *`;

/** What a service takes that has nothing to do. */
interface Rest {
  cpuMsPerSecond: number;
  /** Memory by role, in MB. */
  memory: Record<string, number>;
}

async function restOf(service: MeasuredService): Promise<Rest> {
  await sleep(REST_MS);
  const before = cpuOf(service);
  await sleep(MEASURED_MS);
  return {
    cpuMsPerSecond: (cpuOf(service) - before) / (MEASURED_MS / 1000),
    memory: byRole(sampleProcesses(service.roots), 'pssMb'),
  };
}

/**
 * Measures the service without monitors and with many that are not due, each time after a restart, and prints the
 * figures.
 */
export async function measureRest(count: number): Promise<void> {
  const first = await startMeasuredService();
  let fresh: Rest;
  try {
    fresh = await restOf(first);
    const urls = Array.from({ length: count }, (_, index) => `http://127.0.0.1:9/${index}`);
    const startedAt = performance.now();
    await addMonitors(first, { urls, cron: CRON });
    console.log(`${count} monitors, created in ${short((performance.now() - startedAt) / 1000)} s\n`);
  } finally {
    await first.instance.stop({ keepData: true });
  }
  const second = await startMeasuredService({ dataDir: first.instance.dataDir });
  let full: Rest;
  try {
    full = await restOf(second);
  } finally {
    await second.instance.stop();
  }
  const rowOf = (what: string, one: number, other: number) => ({
    'at rest': what,
    'without monitors': short(one),
    [`with ${count}`]: short(other),
    ratio: (other / one).toFixed(2),
  });
  const sum = ({ memory }: Rest) => Object.values(memory).reduce((total, each) => total + each, 0);
  const roles = Object.keys(fresh.memory).filter((role) => full.memory[role] !== undefined);
  console.log(
    table([
      rowOf('CPU-ms per second', fresh.cpuMsPerSecond, full.cpuMsPerSecond),
      ...roles.map((role) => rowOf(`memory of ${role}, MB`, fresh.memory[role] ?? 0, full.memory[role] ?? 0)),
      rowOf('memory, MB', sum(fresh), sum(full)),
    ]),
  );
}
