import { count, flag, readCommandLine, refuse, text } from '../command-line.ts';

const HELP = `Runs a batch and two crawls of a generated site at the same time, while processes of the service are killed with SIGKILL
at random until each has been killed N times. Checks that every page is there exactly once, that the ledger equals the
price of the results, that every webhook event arrives under one id, and that no status was ever wrong. Prints a table.
If something was wrong, prints a list, exits with 1, and keeps logs and data. Takes about ten minutes. Starts the service with data
of its own, on Linux, and needs a Chromium.

With --sessions, browser sessions are used in every way instead, and Chromium, sandboxes, the worker and the API are
killed. Checks that no process, directory, lease, row or workflow is left behind and that every session was billed once.

With --monitors, monitors check pages each minute instead, and worker, API, Temporal and Postgres are killed N times each.
Checks that each scheduled check took place once, was billed once, found each change once and was told once.

Usage: node bench/chaos.ts [OPTIONS]

  --pages N        pages of the batch and of the larger crawl (2000)
  --kills N        kills of each process (20); with --sessions, of all of them together (50)
  --parts A,B,…    processes to kill (worker,api,temporal,postgres,browser)
  --cluster        run the cluster of docker-compose.yml instead of what npm start runs; each worker and each API
                   is then killed N times
  --sessions       use browser sessions instead of a batch and crawls; not with --pages, --parts or --cluster
  --monitors       check pages by monitors instead; not with --pages, --parts, --cluster or --sessions
  --seed N         seed of all random numbers (1)
  --keep           always keep logs and data
  --help           print this text
`;

/** The options of the command line. */
export interface CommandLine {
  pages: number;
  kills: number;
  parts: string[];
  cluster: boolean;
  sessions: boolean;
  monitors: boolean;
  seed: number;
  keep: boolean;
}

const PARTS = ['worker', 'api', 'temporal', 'postgres', 'browser'];

/** Reads the options from the command line, see {@link readCommandLine}. */
export function readOptions(): CommandLine {
  const values = readCommandLine(HELP, {
    pages: count(undefined, 40),
    kills: count(undefined),
    parts: text(undefined),
    cluster: flag(),
    sessions: flag(),
    monitors: flag(),
    seed: count(1, 0),
    keep: flag(),
  });
  const { sessions, monitors, cluster, keep, seed } = values;
  if (sessions && (values.pages !== undefined || values.parts !== undefined || cluster))
    refuse('--sessions does not go with --pages, --parts or --cluster');
  if (monitors && (values.pages !== undefined || values.parts !== undefined || cluster || sessions))
    refuse('--monitors does not go with --pages, --parts, --cluster or --sessions');
  const parts = values.parts?.split(',') ?? PARTS;
  const unknown = parts.filter((part) => !PARTS.some((known) => part.startsWith(known)));
  if (unknown.length) refuse(`--parts: there is no ${unknown.join(', ')}, but ${PARTS.join(', ')}`);
  return {
    pages: values.pages ?? 2_000,
    kills: values.kills ?? (sessions ? 50 : 20),
    parts,
    cluster,
    sessions,
    monitors,
    keep,
    seed,
  };
}
