import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setInterval } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { browsersBelow } from '../../test/chaos/browsers.ts';
import { startDns } from '../../test/support/dns.ts';
import { startTlsSite } from '../../test/support/tls-site.ts';
import { withSite } from '../crawl/programs.ts';
import { byRole, sampleProcesses } from '../processes.ts';
import { kindOf, type Sites } from './mix.ts';

/** What is opened, and how. */
export interface SoakOptions {
  pages: number;
  atOnce: number;
  /** Pages after which a browser is replaced. */
  uses: number;
  /** The worker collects its garbage now and then. */
  collect: boolean;
}

/** What its worker is told. */
export interface WorkerTask extends SoakOptions {
  sites: Sites;
  dns: string;
  /** For blobs. */
  directory: string;
}

/** Memory at one time, once `done` pages have been opened. */
interface Look {
  done: number;
  workerMb: number;
  /** Of the worker, what V8 uses. */
  heapMb: number;
  chromiumMb: number;
}

/** What was seen. */
export interface Soak {
  looks: Look[];
  /** Rows of a table. */
  outcomes: { kind: string; outcome: string; pages: number }[];
  /** Pages that ended otherwise than their kind should. */
  wrong: string[];
  /** Processes and files, after everything was closed. */
  left: string[];
  /** How many browsers were started. */
  browsers: number;
  seconds: number;
}

const LOOK_MS = 2_000;
/** What is asked to end may take so long until it has. */
const GRACE_MS = 3_000;

/** Opens the pages in a worker of their own and watches it. */
export async function soak(options: SoakOptions): Promise<Soak> {
  const dns = await startDns({});
  await using selfSigned = await startTlsSite('self-signed');
  await using expired = await startTlsSite('expired');
  // All that the worker and its browsers leave anywhere is there.
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
    ...{ looks, wrong, seconds, browsers: browsers.size },
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

/** Tells a process from a later one of the same number: when it started. Empty for one that has ended. */
function identityOf(pid: number): string {
  try {
    // Field 22 (starttime) of proc(5), and no zombie.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return fields[0] === 'Z' ? '' : fields[19]!;
  } catch {
    return '';
  }
}

/** Of the line through the points that is nearest by least squares. */
export function slopeOf(points: [x: number, y: number][]): number {
  const mean = (axis: 0 | 1) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [middleX, middleY] = [mean(0), mean(1)];
  const over = points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0);
  return over / points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0);
}
