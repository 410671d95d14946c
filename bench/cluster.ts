import { once } from 'node:events';
import { onInterrupt } from '../src/cli/interrupt.ts';
import { messageOf } from '../src/errors.ts';
import { type Progress, TerminalProgress } from '../src/run/embedded/terminal-progress.ts';
import { readCompose } from '../test/support/service/compose.ts';
import { checkCluster } from './cluster/check.ts';
import { testCluster } from './cluster/end-to-end.ts';
import type { ClusterOptions } from './cluster/options.ts';
import { type Cluster, startCluster } from './cluster/start.ts';
import { flag, readCommandLine, text, texts } from './command-line.ts';

export type { ClusterOptions } from './cluster/options.ts';
export { type Cluster, startCluster } from './cluster/start.ts';

const HELP = `Starts the services of docker-compose.yml on this machine without containers: a Temporal server on Postgres, two API
processes, five workers, two of which host browser sessions. Ctrl-C stops them. The first start builds the Temporal server with Go
1.21 or newer, which takes minutes.

Usage: node bench/cluster.ts [OPTIONS]

  --check           scrape through both APIs, kill every process once meanwhile, stop; exits with 0 if all results were
                    correct
  --test            run the end-to-end tests through a load balancer in front of both APIs, stop
  --data DIR        keep the data in this directory; by default they are deleted at the end
  --bucket          store blobs in an S3 bucket (s3rver) instead of a directory
  --worker ROLES    start a worker with these roles (scrape,pages,webhooks,sessions,models; empty: all); may be repeated
  --help            print this text

The variables of docker-compose.yml are taken from the environment, as Compose does (WINNOW_ALLOW_PRIVATE, LOG_LEVEL, …).
`;

async function main(): Promise<void> {
  const values = readCommandLine(HELP, {
    check: flag(),
    test: flag(),
    data: text(undefined),
    bucket: flag(),
    worker: texts(),
  });
  const progress = new TerminalProgress();
  const { signal, kill } = onInterrupt(progress.note);
  const options: ClusterOptions = {
    progress,
    signal,
    kill,
    env: await givenVariables(),
    dataDir: values.data,
    ...(values.bucket && { bucket: true }),
    ...(values.worker && { workers: values.worker }),
  };
  try {
    if (values.check) process.exitCode = (await checkCluster(options)) ? 0 : 1;
    else if (values.test) process.exitCode = (await testCluster(options)) ? 0 : 1;
    else await serve(options, signal, progress);
  } catch (error) {
    // An interrupt during the start is not an error.
    if (!signal.aborted) throw error;
  }
}

async function serve(options: ClusterOptions, signal: AbortSignal, progress: Progress): Promise<void> {
  const cluster = await startCluster(options);
  process.stdout.write(screen(cluster));
  if (!signal.aborted) await once(signal, 'abort');
  await progress.step('Stopping', () => cluster.stop({ keepData: options.dataDir !== undefined }));
}

/**
 * The variables of the file that are set in the environment, without PORT, because each API here has its own.
 */
async function givenVariables(): Promise<Record<string, string>> {
  const { variables } = await readCompose();
  const given = variables.filter((name) => name !== 'PORT' && process.env[name]);
  return Object.fromEntries(given.map((name) => [name, process.env[name] ?? '']));
}

function screen({ urls, key, temporalAddress, dataDir, parts, healthUrls }: Cluster): string {
  const rows = [
    ...urls.map((url, index) => [`API ${index + 1}`, url]),
    ['API key', key],
    ['Temporal', temporalAddress],
    ['Data', dataDir],
    ...Object.entries(parts).map(([name, { pid }]) => [
      name,
      `process ${pid}${healthUrls[name] ? `, ${healthUrls[name]}/ready` : ''}`,
    ]),
  ];
  return `\n${rows.map(([name = '', text]) => `  ${name.padEnd(11)}${text}\n`).join('')}\n`;
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}
