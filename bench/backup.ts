import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { withPostgresAlone } from '../src/run/embedded/start-postgres.ts';
import { readRunFile } from '../src/run/embedded/supervision/run-file.ts';
import { TerminalProgress } from '../src/run/embedded/terminal-progress.ts';
import { type Database, openDatabase } from '../src/storage/db/client.ts';
import { migrate } from '../src/storage/db/migrate.ts';
import { startBucket } from '../test/support/storage/bucket.ts';
import { storeCrawl } from './backup/fill.ts';
import { counts, flag, readCommandLine } from './command-line.ts';
import { short, table } from './figures.ts';
import { runInterruptible } from './interrupt.ts';
import { byRole, sampleProcesses } from './processes.ts';

const HELP = `Measures what a backup and its restore take, with a crawl of so many pages made in the stores: rows, and files of random
bytes as large as those of real pages. The database is the embedded Postgres. Takes about four minutes and 7 GB of disk. Needs
Linux.

Usage: node bench/backup.ts [OPTIONS]

  --pages N,…   pages of the crawls (10000,100000)
  --bucket      also measure a backup to a bucket (s3rver, in this process) and its restore
  --help        print this text
`;

const options = readCommandLine(HELP, { pages: counts([10_000, 100_000]), bucket: flag() });

const WINNOW = path.join(import.meta.dirname, '..', 'bin', 'winnow.js');
const SAMPLE_MS = 100;
const MEGABYTE = 1e6;

interface Figures {
  seconds: number;
  /** CPU time in seconds of the command, and of Postgres beside it. */
  cpu: number;
  postgresCpu: number;
  /** The most memory (PSS) of the command in MB. */
  peakMb: number;
}

/** CPU milliseconds of the ended child processes of this one, and of Postgres. */
function usedCpu(postgres: number): { children: number; postgres: number } {
  const { user, system } = process.cpuUsage();
  const own = sampleProcesses({ own: process.pid, postgres }).filter(
    ({ pid, role }) => pid === process.pid || role === 'postgres',
  );
  const sums = byRole(own, 'cpuMs');
  return { children: (sums.own ?? 0) - (user + system) / 1_000, postgres: sums.postgres ?? 0 };
}

/** Runs a command of the command line. @throws Error if it fails */
async function measureCommand(
  args: string[],
  { env, postgres, signal }: { env: Record<string, string>; postgres: number; signal: AbortSignal },
): Promise<Figures> {
  const before = usedCpu(postgres);
  const start = performance.now();
  const child = spawn(process.execPath, [WINNOW, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
    signal,
  });
  let peakMb = 0;
  const sampling = setInterval(() => {
    const { command = 0 } = byRole(sampleProcesses({ command: child.pid! }), 'pssMb');
    peakMb = Math.max(peakMb, command);
  }, SAMPLE_MS);
  const [code] = await once(child, 'exit').finally(() => clearInterval(sampling));
  const seconds = (performance.now() - start) / 1_000;
  if (code !== 0) throw new Error(`winnow ${args.join(' ')} ended with ${code}`);
  const after = usedCpu(postgres);
  return {
    seconds,
    cpu: (after.children - before.children) / 1_000,
    postgresCpu: (after.postgres - before.postgres) / 1_000,
    peakMb,
  };
}

const describe = (pages: number, what: string, bytes: number, figures: Figures) => ({
  pages,
  what,
  MB: Math.round(bytes / MEGABYTE),
  seconds: short(figures.seconds),
  'MB/s': short(bytes / MEGABYTE / figures.seconds),
  'CPU-s': short(figures.cpu),
  'CPU-s of Postgres': short(figures.postgresCpu),
  'MB per CPU-s': short(bytes / MEGABYTE / (figures.cpu + figures.postgresCpu)),
  'memory in MB': Math.round(figures.peakMb),
});

/** Measures a crawl of a size. @returns the rows of the table */
async function measureSize(root: string, pages: number, signal: AbortSignal) {
  const [dataDir, other] = [path.join(root, `${pages}`), path.join(root, `${pages}-restored`)];
  for (const each of [dataDir, other]) await mkdir(each, { mode: 0o711 });
  const place = { dataDir, progress: new TerminalProgress(), signal, kill: signal };
  return withPostgresAlone(place, async (url) => {
    const postgres = readRunFile(dataDir)?.children.postgres?.pid ?? 0;
    await onDatabase(url, async (db) => {
      await migrate(db);
      await storeCrawl(db, path.join(dataDir, 'blobs'), pages);
      await sql`vacuum analyze`.execute(db.query);
      await sql`checkpoint`.execute(db.query);
    });
    const command = (args: string[], env: Record<string, string>) =>
      measureCommand(args, { env, postgres, signal });
    const from = { DATABASE_URL: url, WINNOW_DATA_DIR: dataDir };
    const measureBoth = async (location: string, kind: string) => {
      const written = await command(['backup', location], from);
      await onDatabase(url, (db) => sql`create database restored`.execute(db.query));
      const to = new URL(url);
      to.pathname = '/restored';
      const restored = await command(['restore', location], {
        DATABASE_URL: to.href,
        WINNOW_DATA_DIR: other,
      });
      await onDatabase(url, (db) => sql`drop database restored with (force)`.execute(db.query));
      await rm(path.join(other, 'blobs'), { recursive: true });
      return [
        [`backup${kind}`, written],
        [`restore${kind}`, restored],
      ] as const;
    };
    const file = path.join(root, `${pages}.tar`);
    const figures = [...(await measureBoth(file, ''))];
    if (options.bucket) {
      await using bucket = await startBucket();
      figures.push(...(await measureBoth(bucket.url('winnow.tar'), ', bucket')));
    }
    const { size } = await stat(file);
    return figures.map(([what, each]) => describe(pages, what, size, each));
  });
}

async function onDatabase<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase(url, (error) => process.stderr.write(`${error.message}\n`));
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

await runInterruptible(async (signal) => {
  const root = await mkdtemp(path.join(tmpdir(), 'winnow-bench-backup-'));
  // Started by root, Postgres runs as another user, which needs to pass through the directory.
  await chmod(root, 0o711);
  try {
    const rows = [];
    for (const pages of options.pages) rows.push(...(await measureSize(root, pages, signal)));
    console.log(table(rows));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
