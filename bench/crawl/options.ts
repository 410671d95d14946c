import { choice, count, counts, flag, readCommandLine } from '../command-line.ts';

/** The options of the command line. */
export interface Options {
  /** Pages of each crawl. */
  sizes: number[];
  graph: Graph;
  /** `maxConcurrency` of the service's crawls; `undefined` for its default. */
  maxConcurrency: number | undefined;
  /** Maximum number of pages of one run of the in-memory pipeline. */
  pipelinePages: number;
  /** Whether the crawls are made to expire after they have ended. */
  expires: boolean;
  /** Pages for each crawler in the comparison with Crawlee; `undefined` skips it. */
  peerPages: number | undefined;
  /** Pages of the large crawl in the measurement with two teams; `undefined` skips it. */
  teamPages: number | undefined;
  /** Pages of the crawl that the SDK waits for; `undefined` skips it. */
  sdkPages: number | undefined;
}

/** The part of the site to crawl: small pages (`links`) or articles (`library`). */
export type Graph = 'links' | 'library';

const HELP = `Crawls the generated site through the whole service and prints the cost of a page, beside the same fetch, conversion and
link discovery in memory. Reads and counts every result; exits with 1 if one was missing or wrong.
Takes about a quarter of an hour, or a minute for --pages 1000. Starts the service with data of its own, on Linux.

Usage: node bench/crawl.ts [OPTIONS]

  --pages N,N,…          sizes of the crawls (1000,10000,100000); none: skip these crawls
  --graph GRAPH          library: articles of 30 to 120 KB (default); links: pages of 3 KB
  --maxConcurrency N     maxConcurrency of the crawls (default: none, so 8 requests per host)
  --pipelinePages N      maximum number of pages of one in-memory run, of which there are four for each size (2000)
  --expire               make each crawl expire after its end, and measure how long the deletion of its pages takes, and scrapes
                         meanwhile

  --peers [--peerPages N]   compare with Crawlee's CheerioCrawler, with its defaults and at its best (1000 pages); the
                            first run installs it from the npm registry into bench/peers/node_modules
  --teams [--teamPages N]   measure scrapes and small batches of one team while another team's crawl runs (20000 pages)
  --sdk [--sdkPages N]      count the status requests of the official SDK while it waits for a crawl (3000 pages)
  --help                    print this text

A crawl of a million pages: node bench/crawl.ts --pages 1000000 --graph links --expire
It prints a line to standard error for each tenth.
`;

/** Reads the options from the command line, see {@link readCommandLine}. */
export function readOptions(): Options {
  const values = readCommandLine(HELP, {
    pages: counts([1_000, 10_000, 100_000]),
    graph: choice(['library', 'links'], 'library'),
    maxConcurrency: count(undefined),
    pipelinePages: count(2_000),
    expire: flag(),
    peers: flag(),
    peerPages: count(1_000),
    teams: flag(),
    teamPages: count(20_000),
    sdk: flag(),
    sdkPages: count(3_000),
  });
  return {
    sizes: values.pages,
    graph: values.graph,
    maxConcurrency: values.maxConcurrency,
    pipelinePages: values.pipelinePages,
    expires: values.expire,
    peerPages: values.peers ? values.peerPages : undefined,
    teamPages: values.teams ? values.teamPages : undefined,
    sdkPages: values.sdk ? values.sdkPages : undefined,
  };
}
