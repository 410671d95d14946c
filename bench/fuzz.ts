import { sql } from 'kysely';
import { runningDatabaseUrl } from '../src/run/embedded/postgres.ts';
import { type Database, openDatabase } from '../src/storage/db/client.ts';
import { generateKey } from '../src/storage/db/teams/generate-key.ts';
import { addKey, changeTeam, createTeam } from '../src/storage/db/teams/teams.ts';
import { runFileOf, startService } from '../test/support/service/start-service.ts';
import { count, readCommandLine, text } from './command-line.ts';
import { short, table } from './figures.ts';
import { type FuzzOutcome, runFuzz } from './fuzz/run-fuzz.ts';
import { startFuzzSite } from './fuzz/site.ts';
import { runInterruptible } from './interrupt.ts';

const HELP = `Sends requests to a service of its own that are made from the API reference which it serves: valid, nearly valid
and hostile ones. Each response has to have a status, media type and shape that the reference describes for the operation, and
come in time; none may be an unknown error, no process of the service may end, and no job may fail for an unknown reason.
Prints the statuses of each kind of request, and each fault with the first request that had it. Exits with 1 if there is one.
Takes about a minute for 5,000 requests. Needs a Chromium; requests lead to loopback only.

Schemathesis (pip install schemathesis) has rules of its own, for a service that runs. Its settings are in bench/fuzz:
  schemathesis --config-file bench/fuzz/schemathesis.toml run $URL/openapi.json -H "Authorization: Bearer $KEY"

Usage: node bench/fuzz.ts [OPTIONS]

  --requests N  number of requests (20000)
  --seed N      seed of the requests; the same ones follow from it, apart from ids (1)
  --lanes N     requests at once (4)
  --only TEXT   only operations whose name contains it, such as "/v2/crawl"
  --help        print this text
`;

const options = readCommandLine(HELP, {
  requests: count(20_000),
  seed: count(1),
  lanes: count(4),
  only: text(undefined),
});
/** The longest that a response may take: scrapes have a shorter timeout of their own, in milliseconds. */
const HANG_MS = 120_000;
const NAME = 'fuzz';

async function startFuzzed() {
  const service = await startService({ env: { LOG_LEVEL: 'warn' } });
  const db = openDatabase(runningDatabaseUrl(service.dataDir), () => undefined);
  const key = generateKey();
  await addKey(db, await createTeam(db, NAME, null), 'bench', key);
  // A browser takes a second of processor time to start, so most requests for one are refused.
  await changeTeam(db, NAME, { rateLimitPerMinute: 1_000_000, sessions: 2, zeroDataRetention: true });
  const stop = async () => {
    await db.close();
    await service.stop();
  };
  return { service, db, key, stop };
}

/** The jobs that failed for a reason that nobody expected. */
const unknownFailures = ({ query }: Database) =>
  query
    .selectFrom('jobs')
    .select(({ fn }) => [
      'kind',
      sql<string>`error ->> 'message'`.as('message'),
      fn.countAll<string>().as('times'),
    ])
    .where(sql<string>`error ->> 'code'`, 'in', ['UNKNOWN_ERROR', 'WORKER_LOST'])
    .groupBy(['kind', 'message'])
    .execute();

/** The processes of a service by role, in which one that was replaced has another number. */
const processesOf = (service: { dataDir: string }) => JSON.stringify(runFileOf(service).children);

function report({ sent, statuses, succeeded, operations, findings, slowestMs }: FuzzOutcome): string {
  const rows = [...statuses].map(([kind, ofKind]) => ({
    requests: kind,
    responses: [...ofKind]
      .toSorted(([a], [b]) => a - b)
      .map(([status, times]) => `${times} × ${status}`)
      .join(', '),
  }));
  const lists = findings.map(
    ({ operation, fault, command, times }) => `- ${operation} (${times}): ${fault}\n  ${command}`,
  );
  const failed = operations.filter((name) => !succeeded.has(name));
  return `${sent} requests to ${operations.length} operations, of which ${succeeded.size} succeeded at least once; the slowest response took ${short(slowestMs / 1000)} s

${table(rows)}

${findings.length} faults
${lists.join('\n')}
${failed.length ? `Never successful: ${failed.join(', ')}\n` : ''}`;
}

async function main({ requests, seed, lanes, only }: typeof options, signal: AbortSignal): Promise<void> {
  const fuzzed = await startFuzzed();
  try {
    await using site = await startFuzzSite();
    const { service, db, key } = fuzzed;
    const before = processesOf(service);
    const outcome = await runFuzz({
      access: { url: service.url, key },
      urls: site.urls,
      seed,
      requests,
      lanes,
      only,
      signal,
      hangMs: HANG_MS,
    });
    process.stdout.write(report(outcome));
    const failures = await unknownFailures(db);
    for (const { kind, message, times } of failures)
      process.stdout.write(`- ${times} jobs of the kind ${kind} failed: ${message}\n`);
    const isSame = processesOf(service) === before;
    if (!isSame) process.stdout.write('- A process of the service ended.\n');
    if (outcome.findings.length || failures.length || !isSame) process.exitCode = 1;
  } finally {
    await fuzzed.stop();
  }
}

await runInterruptible((interrupt) => main(options, interrupt));
