import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setInterval } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { browsersBelow } from '../../test/chaos/browsers.ts';
import { startDns } from '../../test/support/network/dns.ts';
import { startTlsSite } from '../../test/support/sites/tls-site.ts';
import { withSite } from '../crawl/programs.ts';
import { byRole, sampleProcesses } from '../processes.ts';
import { kindOf, type Sites } from './mix.ts';

/** The options of a soak test. */
export interface SoakOptions {
  pages: number;
  atOnce: number;
  /** Number of pages after which a browser is replaced. */
  uses: number;
  /** Whether the worker collects garbage from time to time. */
  collect: boolean;
}

/** The task of the worker process. */
export interface WorkerTask extends SoakOptions {
  sites: Sites;
  dns: string;
  /** Directory for blobs. */
  directory: string;
}

/** Memory after `done` pages. */
interface Look {
  done: number;
  workerMb: number;
  /** Heap of the worker that V8 uses, in MB. */
  heapMb: number;
  chromiumMb: number;
}

/** The result of a soak test. */
export interface Soak {
  looks: Look[];
  /** Rows of the table of outcomes. */
  outcomes: { kind: string; outcome: string; pages: number }[];
  /** Pages with an unexpected outcome. */
  wrong: string[];
  /** Processes and files that are left after everything was closed. */
  left: string[];
  /** Number of browsers that were started. */
  browsers: number;
  seconds: number;
}

const LOOK_MS = 2_000;
/** Milliseconds that processes may take to end. */
const GRACE_MS = 3_000;

/** Opens the pages in a worker process and samples its memory. */
export async function soak(options: SoakOptions): Promise<Soak> {
  const dns = await startDns({});
  await using selfSigned = await startTlsSite('self-signed');
  await using expired = await startTlsSite('expired');
  // The temporary directory of the worker and its browsers, so that leftover files are found.
  const directory = await mkdtemp(path.join(tmpdir(), 'winnow-soak-'));
  await chmod(directory, 0o755);
  try {
    return await withSite(options.pages, ({ url: site }) => {
      const sites = { site, selfSigned: selfSigned.url, expired: expired.url };
      return watch({ ...options, sites, dns: dns.address, directory: path.join(directory, 'blobs') });
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
    await dns.close();
  }
}

async function watch(task: WorkerTask): Promise<Soak> {
  const temporary = path.dirname(task.directory);
  const worker = fork(new URL('./worker.ts', import.meta.url), [JSON.stringify(task)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, TMPDIR: temporary },
    execArgv: task.collect ? ['--expose-gc'] : [],
  });
  const ended = once(worker, 'exit');
  const looks: Look[] = [];
  const counts = new Map<string, number>();
  const wrong: string[] = [];
  const [seen, browsers] = [new Map<number, string>(), new Set<number>()];
  let [done, heapMb] = [0, 0];
  const look = () => {
    const samples = sampleProcesses({ worker: worker.pid! });
    const { worker: workerMb = 0, chromium: chromiumMb = 0 } = byRole(samples, 'pssMb');
    looks.push({ done, workerMb, heapMb, chromiumMb });
    for (const { pid } of samples) seen.set(pid, identityOf(pid));
    for (const pid of browsersBelow([worker.pid!])) browsers.add(pid);
  };
  worker.on('message', (told: { n: number; outcome: string; heapMb: number }) => {
    done++;
    heapMb = told.heapMb;
    const { name, outcome } = kindOf(told.n);
    const key = `${name}\n${told.outcome}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (told.outcome !== outcome) wrong.push(`page ${told.n} (${name}): ${told.outcome}`);
    if (done === task.pages) look();
  });
  const timer = setInterval(look, LOOK_MS);
  const start = performance.now();
  const [code] = await ended;
  clearInterval(timer);
  const seconds = (performance.now() - start) / 1000;
  await sleep(GRACE_MS);
  const processes = [...seen].filter(([pid, identity]) => identity && identityOf(pid) === identity);
  const files = (await readdir(temporary)).filter((name) => name !== path.basename(task.directory));
  return {
    looks,
    wrong,
    seconds,
    browsers: browsers.size,
    outcomes: [...counts].map(([key, pages]) => {
      const [kind = '', outcome = ''] = key.split('\n');
      return { kind, outcome, pages };
    }),
    left: [
      ...(code === 0 ? [] : [`the worker ended with ${code}`]),
      ...(done === task.pages ? [] : [`${task.pages - done} pages without an end`]),
      ...processes.map(([pid]) => `process ${pid}: ${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()}`),
      ...files,
    ],
  };
}

/**
 * The start time of a process, which distinguishes it from a later one with the same pid; empty if it has
 * ended.
 */
function identityOf(pid: number): string {
  try {
    // Field 22 (starttime) of proc(5). Zombies count as ended.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return fields[0] === 'Z' ? '' : fields[19]!;
  } catch {
    return '';
  }
}

/** The slope of the least-squares line through the points. */
export function slopeOf(points: [x: number, y: number][]): number {
  const mean = (axis: 0 | 1) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [middleX, middleY] = [mean(0), mean(1)];
  const over = points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0);
  return over / points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0);
}
