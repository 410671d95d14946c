import { parseArgs } from 'node:util';

export const HELP = `Runs a batch and two crawls of a generated site, side by side, while parts of the service are killed with SIGKILL at
random, again and again until each part had its kills. Checks that every page is there exactly once, that the ledger
is what the results cost, that every webhook event comes under one id, and that no status was ever wrong. Prints a
table; ends with 1 and a list when something was wrong (logs and data are kept then).

Usage: node bench/chaos.ts [OPTIONS]

  --pages N        of the batch and of the larger crawl (2000)
  --kills N        of each part (20)
  --parts A,B,…    what is killed (worker,api,temporal,postgres,browser)
  --cluster        what docker-compose.yml describes, instead of everything as npm start runs it; every worker and
                   every API is a part of its own
  --seed N         of all that is random (1)
  --keep           keep logs and data in any case
  --help           this text
`;

/** What the command line asks for. */
export interface CommandLine {
  pages: number;
  kills: number;
  parts: string[];
  cluster: boolean;
  seed: number;
  keep: boolean;
}

const PARTS = ['worker', 'api', 'temporal', 'postgres', 'browser'];

/** The arguments as options; `undefined` where the help was asked for. @throws Error that names a wrong one */
export function readOptions(args: string[]): CommandLine | undefined {
  const { values } = parseArgs({
    args,
    options: {
      pages: { type: 'string', default: '2000' },
      kills: { type: 'string', default: '20' },
      parts: { type: 'string', default: PARTS.join(',') },
      cluster: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return undefined;
  const parts = values.parts.split(',');
  const unknown = parts.filter((part) => !PARTS.some((known) => part.startsWith(known)));
  if (unknown.length) throw new Error(`--parts: there is no ${unknown.join(', ')}, but ${PARTS.join(', ')}`);
  return {
    pages: readCount('pages', values.pages, 40),
    kills: readCount('kills', values.kills, 1),
    parts,
    cluster: values.cluster,
    keep: values.keep,
    seed: readCount('seed', values.seed, 0),
  };
}

function readCount(name: string, text: string, least: number): number {
  if (/^\d+$/.test(text) && Number(text) >= least) return Number(text);
  throw new Error(`--${name} takes whole numbers from ${least}, not ${JSON.stringify(text)}`);
}
