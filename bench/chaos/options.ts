import { parseArgs } from 'node:util';

export const HELP = `Runs a batch and two crawls of a generated site at the same time, while processes of the service are killed with SIGKILL
at random until each has been killed N times. Checks that every page is there exactly once, that the ledger equals the
price of the results, that every webhook event arrives under one id, and that no status was ever wrong. Prints a table.
If something was wrong, prints a list, exits with 1, and keeps logs and data.

With --sessions, browser sessions are used in every way instead, and Chromium, sandboxes, the worker and the API are
killed. Checks that no process, directory, lease, row or workflow is left behind and that every session was billed once.

Usage: node bench/chaos.ts [OPTIONS]

  --pages N        pages of the batch and of the larger crawl (2000)
  --kills N        kills of each process (20); with --sessions, of all of them together (50)
  --parts A,B,…    processes to kill (worker,api,temporal,postgres,browser)
  --cluster        run the cluster of docker-compose.yml instead of what npm start runs; each worker and each API
                   is then killed N times
  --sessions       use browser sessions instead of a batch and crawls; not with --pages, --parts or --cluster
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
  seed: number;
  keep: boolean;
}

const PARTS = ['worker', 'api', 'temporal', 'postgres', 'browser'];

/** Parses the arguments; `undefined` if they ask for the help. @throws Error that names an invalid one */
export function readOptions(args: string[]): CommandLine | undefined {
  const { values } = parseArgs({
    args,
    options: {
      pages: { type: 'string' },
      kills: { type: 'string' },
      parts: { type: 'string' },
      cluster: { type: 'boolean', default: false },
      sessions: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return undefined;
  const { sessions, cluster } = values;
  if (sessions && (values.pages || values.parts || cluster))
    throw new Error('--sessions does not go with --pages, --parts or --cluster');
  const parts = values.parts?.split(',') ?? PARTS;
  const unknown = parts.filter((part) => !PARTS.some((known) => part.startsWith(known)));
  if (unknown.length) throw new Error(`--parts: there is no ${unknown.join(', ')}, but ${PARTS.join(', ')}`);
  return {
    pages: readCount('pages', values.pages ?? '2000', 40),
    kills: readCount('kills', values.kills ?? (sessions ? '50' : '20'), 1),
    parts,
    cluster,
    sessions,
    keep: values.keep,
    seed: readCount('seed', values.seed, 0),
  };
}

function readCount(name: string, text: string, least: number): number {
  if (/^\d+$/.test(text) && Number(text) >= least) return Number(text);
  throw new Error(`--${name} takes whole numbers from ${least}, not ${JSON.stringify(text)}`);
}
