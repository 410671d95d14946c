import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { postgresDir, runningDatabaseUrl } from '../src/run/embedded/postgres.ts';
import { type Database, openDatabase } from '../src/storage/db/client.ts';
import { articlePage } from '../test/site/article.ts';
import { startService } from '../test/support/service/start-service.ts';
import { pollUntil } from '../test/support/suite/poll.ts';
import { count, flag, readCommandLine, refuse } from './command-line.ts';
import { type MeasuredService, runBatch, startMeasuredService } from './crawl/service.ts';
import { short, table } from './figures.ts';
import { byRole, sampleProcesses } from './processes.ts';
import { shareOut } from './profile/stages.ts';

const HELP = `Measures where the CPU time of a page of a batch goes: over all processes, by thread, by stage of the JavaScript threads
(from profiles of V8) and by SQL statement. Every page is the same article of 77 KB, fetched without a browser. Profiling takes
time itself, in a thread that is left out. Takes about a minute. Starts the service with data of its own, on Linux, with a
Postgres that has the extension pg_stat_statements.

Usage: node bench/profile.ts [OPTIONS]

  --pages N   pages of the measured batch, after another one for warming up (2000)
  --plain     measure only processes and threads, without profiles, so that nothing is added to the cost
  --json      print only the CPU milliseconds of a page by stage, as JSON: of the JavaScript threads by what they do, of the other
              threads and processes as a whole; not with --plain
  --help      print this text
`;

const {
  pages: PAGES,
  plain: isPlain,
  json: isJson,
} = readCommandLine(HELP, { pages: count(2_000), plain: flag(), json: flag() });
if (isPlain && isJson) refuse('--json does not go with --plain, which measures no stages');
/** Enough to compile the code, and to start all threads. */
const WARM_UP_PAGES = 600;
/** The API takes CPU time for each look. */
const LOOK_MS = 1_000;
const STATEMENTS = 12;
/** An article of 77,064 bytes. */
const ARTICLE = 32;

const profiles = mkdtempSync(path.join(tmpdir(), 'winnow-profile-'));

/** Serves the article at every path. */
async function startHost() {
  const body = Buffer.from(articlePage(ARTICLE, 'http://articles.example'));
  const server = createServer((_, response) =>
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(body),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server on a TCP port has an AddressInfo, never a path.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/** Starts the service twice, because Postgres loads pg_stat_statements only when it starts. */
async function startProfiledService(): Promise<MeasuredService> {
  if (isPlain) return startMeasuredService();
  const first = await startService();
  await first.stop({ keepData: true });
  const { dataDir } = first;
  appendFileSync(
    path.join(postgresDir(dataDir), 'postgresql.auto.conf'),
    "shared_preload_libraries = 'pg_stat_statements'\npg_stat_statements.track_planning = on\n",
  );
  const profiler = new URL('profile/thread-profiler.ts', import.meta.url).href;
  return startMeasuredService({
    dataDir,
    env: {
      NODE_OPTIONS: `--import ${profiler}`,
      PROFILE_DIR: profiles,
      // Rendering threads otherwise block between tasks, so the timer of the profiler would never fire.
      PISCINA_DISABLE_ATOMICS: '1',
    },
  });
}

/** The thread of V8 that collects samples. */
const PROFILER_THREAD = 'v8:ProfEvntProc';
const TICK_MS = 10;

/** CPU milliseconds of the threads of a process, by their names without numbers. */
function threadTimes(pid: number): Map<string, number> {
  const times = new Map<string, number>();
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${task}/stat`, 'utf8');
    const [, name = '', rest = ''] = /\((.*)\) (.*)/s.exec(stat) ?? [];
    const fields = rest.split(' ');
    // Fields 14 and 15 of proc(5); the indexes count from the field after the name.
    const ms = (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    const kind = Number(task) === pid ? 'main' : name.replace(/[-_]?\d+$/, '');
    times.set(kind, (times.get(kind) ?? 0) + ms);
  }
  return times;
}

const difference = (before: Map<string, number>, after: Map<string, number>) =>
  new Map([...after].map(([name, ms]) => [name, ms - (before.get(name) ?? 0)]));

/**
 * Turns the profilers of all threads on or off, and waits until they have started or written their profiles.
 */
async function setProfiling(isOn: boolean): Promise<void> {
  const switchFile = path.join(profiles, 'on');
  if (isOn) writeFileSync(switchFile, '');
  else rmSync(switchFile);
  // A thread looks ten times per second.
  if (isOn) await sleep(500);
  else await pollUntil(() => !readdirSync(profiles).some((file) => file.endsWith('.running')) || undefined);
}

/** The CPU time of the measured batch. */
interface Usage {
  totalMs: number;
  /** Milliseconds by process, and by thread of the two processes of Node that work on pages. */
  processes: Map<string, number>;
  threads: { process: string; thread: string; ms: number }[];
}

async function measureBatch(service: MeasuredService, urls: string[]): Promise<Usage> {
  const nodes = ['worker', 'api'].map((name) => ({ name, pid: service.roots[name]! }));
  const look = () => ({
    processes: new Map(Object.entries(byRole(sampleProcesses(service.roots), 'cpuMs'))),
    threads: nodes.map(({ pid }) => threadTimes(pid)),
  });
  const before = look();
  const start = performance.now();
  await runBatch(service.instance, { urls, maxAge: 0 }, LOOK_MS);
  const totalMs = performance.now() - start;
  const after = look();
  const threads = nodes.flatMap(({ name }, index) =>
    [...difference(before.threads[index]!, after.threads[index]!)].map(([thread, ms]) => ({
      process: name,
      thread,
      ms,
    })),
  );
  const processes = difference(before.processes, after.processes);
  for (const { process: name, thread, ms } of threads) {
    if (thread === PROFILER_THREAD) processes.set(name, (processes.get(name) ?? 0) - ms);
  }
  return { totalMs, processes, threads: threads.filter(({ thread }) => thread !== PROFILER_THREAD) };
}

/** Milliseconds by stage of the threads that run JavaScript. */
function stagesOf({ threads }: Usage, roots: Record<string, number>) {
  return threads.flatMap(({ process: name, thread, ms }) =>
    [...shareOut(profiles, { pid: roots[name]!, name: thread, cpuMs: ms })].map(([stage, stageMs]) => ({
      process: name,
      thread,
      stage,
      ms: stageMs,
    })),
  );
}

/**
 * Milliseconds by stage. Threads without a profile, and processes without threads of their own, are one stage
 * without a name.
 */
function listStages(usage: Usage, roots: Record<string, number>) {
  const staged = stagesOf(usage, roots);
  const hasStages = (name: string, thread: string) =>
    staged.some((each) => each.process === name && each.thread === thread);
  const rest = usage.threads.filter(({ process: name, thread }) => !hasStages(name, thread));
  const whole = [...usage.processes].filter(([name]) => !usage.threads.some((each) => each.process === name));
  return [
    ...staged,
    ...rest.map((each) => ({ ...each, stage: '' })),
    ...whole.map(([name, ms]) => ({ process: name, thread: '', stage: '', ms })),
  ];
}

/** CPU milliseconds of a page by the name of the stage. */
const asRecord = (stages: ReturnType<typeof listStages>): Record<string, number> =>
  Object.fromEntries(
    stages.map(({ process: name, thread, stage, ms }) => [
      `${name}${thread && `, ${thread}`}${stage && `: ${stage}`}`,
      ms / PAGES,
    ]),
  );

/** The titles of threads of the worker and the API, by their names in Linux. */
const THREADS: Record<string, string> = {
  main: 'main thread',
  WorkerThread: 'rendering threads',
  V8Worker: "V8's helper threads",
  'libuv-worker': 'threads for files',
};

/**
 * Prints the table of docs/benchmarks.md: all stages by process and thread, those that cost the most first,
 * and their sum.
 */
function printStages(stages: ReturnType<typeof listStages>): void {
  const sum = { process: 'sum', thread: '', stage: '', ms: stages.reduce((total, { ms }) => total + ms, 0) };
  printCosts(
    [sum, ...stages].map(({ process: name, thread, stage, ms }) => ({
      process: name,
      thread: THREADS[thread] ?? thread,
      stage,
      ms,
    })),
  );
}

/** The statements that took the most time, with that of planning. */
async function listStatements(db: Database) {
  const { rows } = await sql<{ statement: string; calls: number; ms: number }>`
    select query as statement, calls, total_exec_time + total_plan_time as ms from pg_stat_statements
    order by ms desc limit ${STATEMENTS}`.execute(db.query);
  return rows;
}

/** Prints rows by their cost per page, the highest first, without those that cost next to nothing. */
function printCosts(
  rows: ({ ms: number } & Record<string, string | number>)[],
  unit = 'CPU-ms per page',
): void {
  const shown = rows
    .filter(({ ms }) => ms / PAGES >= 0.02)
    .sort((one, other) => other.ms - one.ms)
    .map(({ ms, ...names }) => ({ ...names, [unit]: (ms / PAGES).toFixed(2) }));
  console.log(`${table(shown)}\n`);
}

/** Prints the costs of the measured batch. */
async function report(usage: Usage): Promise<void> {
  console.log(`${PAGES} pages, ${(PAGES / (usage.totalMs / 1000)).toFixed(1)} per second\n`);
  const sum = usage.processes.values().reduce((total, ms) => total + ms, 0);
  printCosts([...usage.processes, ['sum', sum] as const].map(([name, ms]) => ({ process: name, ms })));
  printCosts(usage.threads);
  if (!isPlain) {
    const statements = await listStatements(db);
    await setProfiling(false);
    printStages(listStages(usage, service.roots));
    printCosts(
      statements.map(({ statement, calls, ms }) => ({
        statement: statement.replaceAll(/\s+/g, ' ').trim().slice(0, 90).replaceAll('|', '\\|'),
        'calls per 100 pages': short((100 * calls) / PAGES),
        ms,
      })),
      // Postgres measures how long a statement takes, which includes waits for locks.
      'ms per page',
    );
  }
}

const service = await startProfiledService();
const host = await startHost();
const db = openDatabase(runningDatabaseUrl(service.instance.dataDir), (error) => console.error(error));
try {
  const urls = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${host.url}/${prefix}/${index}`);
  await runBatch(service.instance, { urls: urls('warm-up', WARM_UP_PAGES), maxAge: 0 }, LOOK_MS);
  if (!isPlain) {
    await sql`create extension pg_stat_statements`.execute(db.query);
    await setProfiling(true);
    await sql`select pg_stat_statements_reset()`.execute(db.query);
  }
  const usage = await measureBatch(service, urls('page', PAGES));
  if (isJson) {
    await setProfiling(false);
    console.log(JSON.stringify(asRecord(listStages(usage, service.roots)), null, 2));
  } else await report(usage);
} finally {
  await db.close();
  host.close();
  await service.instance.stop();
  rmSync(profiles, { recursive: true });
}
