import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { count, readCommandLine, text } from './command-line.ts';
import { startSiteProcess } from './crawl/programs.ts';
import { startMeasuredService } from './crawl/service.ts';
import { short, table } from './figures.ts';
import { byRole, sampleProcesses, threadCpuMs } from './processes.ts';
import { loadDocuments, loadPages } from './small/loads.ts';

const HELP = `Measures CPU time and memory (PSS) of the service that has nothing to do, for each of its processes. With --after, it
does so twice: fresh, and after pages, pages that scripts draw, browser sessions and documents; it then compares the memory.
Takes as long as the options say. Starts the service with data of its own, on Linux.

Usage: node bench/idle.ts [OPTIONS]

  --rest SECONDS      how long the service has nothing to do before it is measured (300)
  --measure SECONDS   how long it is measured (60)
  --url URL           scrape this page in the browser before the rest; by default, nothing is scraped
  --after PAGES       measure again after a batch of so many pages, a twentieth as many pages that scripts draw, four
                      browser sessions and ten documents; 0 by default
  --over SECONDS      repeat that work until so many seconds have passed, with rests of four times as long as each took
  --help              print this text
`;

const {
  rest: restSeconds,
  measure: measuredSeconds,
  url,
  after: pages,
  over: workSeconds,
} = readCommandLine(HELP, {
  rest: count(300, 0),
  measure: count(60),
  url: text(undefined),
  after: count(0, 0),
  over: count(0, 0),
});

/** Documents that are uploaded before the second measurement. */
const FILES = 10;

/** How long the service rests between two rounds of work, in times of the round. */
const REST_OF_ROUND = 4;

/** The name that the kernel shows of a process, and its arguments up to a readable length. */
function commandOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      .replaceAll('\0', ' ')
      .replaceAll('|', ' ')
      .trim();
    return text.split(' ').slice(0, 4).join(' ').replace(/\S*\//g, '').slice(0, 60);
  } catch {
    // It has ended since it was sampled.
    return '';
  }
}

const sumOf = (figures: Record<string, number>) =>
  Object.values(figures).reduce((sum, each) => sum + each, 0);

/** Waits, measures, and prints what each process takes. @returns the memory by role, in MB */
async function measureAtRest(): Promise<Record<string, number>> {
  await sleep(restSeconds * 1000);
  const before = new Map(sampleProcesses(service.roots).map(({ pid }) => [pid, threadCpuMs(pid)]));
  await sleep(measuredSeconds * 1000);
  const after = sampleProcesses(service.roots).map((sample) => ({
    ...sample,
    cpuMs: threadCpuMs(sample.pid),
  }));
  const cpuOf = ({ pid, cpuMs }: { pid: number; cpuMs: number }) =>
    (cpuMs - (before.get(pid) ?? 0)) / measuredSeconds;
  const rows = after
    .toSorted((one, other) => other.pssMb - one.pssMb)
    .map((sample) => ({
      role: sample.role,
      process: commandOf(sample.pid),
      'CPU-ms per second': cpuOf(sample).toFixed(2),
      'memory (PSS), MB': short(sample.pssMb),
    }));
  const cpu = after.reduce((sum, sample) => sum + cpuOf(sample), 0);
  const memory = byRole(after, 'pssMb');
  console.log(`After ${restSeconds} s without work, measured for ${measuredSeconds} s\n`);
  console.log(
    table([
      ...rows,
      {
        role: 'sum',
        process: '',
        'CPU-ms per second': cpu.toFixed(2),
        'memory (PSS), MB': short(sumOf(memory)),
      },
    ]),
  );
  return memory;
}

/** Gives every part of the service work, at least once. @returns how often @throws Error if some of it failed */
async function work(): Promise<number> {
  const site = await startSiteProcess();
  try {
    const end = Date.now() + workSeconds * 1000;
    for (let rounds = 1; ; rounds++) {
      const begun = Date.now();
      await workOnce(site.url);
      const rest = (Date.now() - begun) * REST_OF_ROUND;
      if (Date.now() + rest >= end) return rounds;
      await sleep(rest);
    }
  } finally {
    site.stop();
  }
}

async function workOnce(siteUrl: string): Promise<void> {
  const scripts = Math.ceil(pages / 20);
  const failures = [
    ...(await loadPages(service.instance, { siteUrl, pages, scripts })),
    ...(await loadDocuments(service.instance, FILES)),
  ];
  if (failures.length > 0) throw new Error(failures.join('\n'));
}

const service = await startMeasuredService({ env: { WINNOW_REQUESTS_PER_HOST: '16' } });
try {
  if (url) {
    const response = await fetch(`${service.instance.url}/v2/scrape`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.instance.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url, waitFor: 1, formats: ['markdown', 'screenshot'] }),
    });
    if (!response.ok) throw new Error(await response.text());
  }
  const fresh = await measureAtRest();
  if (pages > 0) {
    const begun = Date.now();
    const rounds = await work();
    const seconds = Math.round((Date.now() - begun) / 1000);
    const worked = await measureAtRest();
    const roles = [...new Set([...Object.keys(fresh), ...Object.keys(worked)])];
    const row = (role: string, one = 0, other = 0) => ({
      role,
      'fresh, MB': short(one),
      'after work, MB': short(other),
      ratio: one ? (other / one).toFixed(2) : '',
    });
    console.log(`\nMemory after ${rounds} times ${pages} pages in ${seconds} s\n`);
    console.log(
      table([
        ...roles.map((role) => row(role, fresh[role], worked[role])),
        row('sum', sumOf(fresh), sumOf(worked)),
      ]),
    );
  }
} finally {
  await service.instance.stop();
}
