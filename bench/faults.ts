import { messageOf } from '../src/errors.ts';
import { openClient } from '../test/chaos/client.ts';
import { createFindings } from '../test/chaos/findings.ts';
import { openLedger } from '../test/chaos/ledger.ts';
import type { Round } from '../test/chaos/round.ts';
import { findDeadUrl } from '../test/chaos/run.ts';
import { seeded } from '../test/site/random.ts';
import { startSite } from '../test/site/site.ts';
import { count, counts, flag, readCommandLine, refuse, text } from './command-line.ts';
import { FAULTS } from './faults/catalogue.ts';
import type { Fault } from './faults/fault.ts';
import { formatFaults } from './faults/report.ts';
import { type FaultReport, type RoundPlace, runFault } from './faults/round.ts';
import { openScrapeLedger } from './faults/scrape-ledger.ts';
import { keepScraping, startScrapedPages } from './faults/scrapes.ts';
import { type FaultTarget, startFaultTarget } from './faults/target.ts';
import { runInterruptible } from './interrupt.ts';

const HELP = `Runs a batch, two crawls and scrapes one after the other on the cluster of docker-compose.yml, as processes of this machine,
while its network, Postgres, bucket or clocks are faulty. Checks that every page is there once, that the ledger equals the
price of the results, that every webhook event arrives under one id, that scrapes get a response with a code within their
timeout, and that all go on within a minute after the fault. Prints a table of what clients saw. If something was wrong,
prints a list, exits with 1, and keeps logs and data. Needs Go 1.21 or newer for Temporal's server, and no root.

Usage: node bench/faults.ts [OPTIONS]

  --faults A,B,…   only the faults with these names, or with these texts in their names
  --seconds N,…    how long each fault lasts (5); 5,60,300 has each of them three times
  --pages N        pages of the batch and of the larger crawl (120)
  --seed N         seed of all random numbers (1)
  --list           print the names of the faults
  --keep           always keep logs and data
  --help           print this text
`;

interface Options {
  faults: Fault[];
  seconds: number[];
  pages: number;
  seed: number;
  keep: boolean;
}

function readOptions(): Options {
  const {
    faults: names,
    list,
    ...options
  } = readCommandLine(HELP, {
    faults: text(undefined),
    seconds: counts([5]),
    pages: count(120, 40),
    seed: count(1, 0),
    list: flag(),
    keep: flag(),
  });
  const wanted = names?.split(',') ?? [''];
  const isFault = (text: string) => FAULTS.some(({ name }) => name === text);
  const faults = FAULTS.filter(({ name }) =>
    wanted.some((part) => (isFault(part) ? name === part : name.includes(part))),
  );
  if (!faults.length) refuse(`--faults: no fault is named like ${names}; --list prints their names`);
  if (list) {
    process.stdout.write(faults.map(({ name }) => `${name}\n`).join(''));
    process.exit(0);
  }
  return { ...options, faults };
}

/** UTC, as in the logs. */
const note = (text: string) =>
  void process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${text}\n`);

async function main(options: Options, signal: AbortSignal): Promise<void> {
  const target = await startFaultTarget(signal);
  let keepData = true;
  try {
    const { reports, violations } = await runFaults(target, options, signal);
    process.stdout.write(
      `${[formatFaults(reports), ...violations.map((text) => `WRONG  ${text}`)].join('\n')}\n`,
    );
    keepData = options.keep || violations.length > 0;
    if (violations.length) process.exitCode = 1;
  } finally {
    await target.stop({ keepData });
    if (keepData) note(`Logs and data are kept in ${target.cluster.dataDir}`);
  }
}

async function runFaults(target: FaultTarget, options: Options, signal: AbortSignal) {
  const { pages, seed } = options;
  const findings = createFindings((text) => note(`WRONG  ${text}`));
  const random = seeded(seed);
  const { urls, key } = target.cluster;
  const site = await startSite({ pages });
  const scraped = await startScrapedPages();
  const ledger = await openLedger(target.databaseUrl, findings, signal);
  const scrapeLedger = await openScrapeLedger(target.databaseUrl, findings);
  const place: RoundPlace = {
    target,
    findings,
    random,
    ledger,
    pages,
    signal,
    note,
    client: openClient({ urls, key, random, findings, signal }),
    scrapes: { ledger: scrapeLedger, key: scrapeLedger.key, site: scraped.url },
    siteUrl: site.url,
    deadUrl: await findDeadUrl(),
  };
  const reports: FaultReport[] = [];
  const rounds: Round[] = [];
  try {
    await warmUp(place);
    for (const seconds of options.seconds) {
      for (const fault of options.faults) {
        const report = await runFault(fault, seconds, { place, number: rounds.length, earlier: rounds });
        rounds.push(report.round);
        reports.push(report);
        note(formatFaults([report]).split('\n').at(-1) ?? '');
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    // The jobs stand still, so nothing that comes after would say anything.
    findings.wrong(`${options.faults[reports.length % options.faults.length]?.name}: ${messageOf(error)}`);
  } finally {
    await ledger.close();
    await scrapeLedger.close();
    scraped.close();
    await site.close();
  }
  return { reports, violations: findings.violations };
}

/** A cluster refuses requests in its first seconds. */
async function warmUp({ scrapes, target }: RoundPlace): Promise<void> {
  const warming = keepScraping({ ...scrapes, urls: target.cluster.urls });
  await warming.untilServed();
  await warming.stop();
}

const options = readOptions();
await runInterruptible((interrupt) => main(options, interrupt));
