import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { count, readCommandLine, text } from './command-line.ts';
import { startMeasuredService } from './crawl/service.ts';
import { short, table } from './figures.ts';
import { byRole, sampleProcesses, threadCpuMs } from './processes.ts';

const HELP = `Measures CPU time and memory (PSS) of the service that has nothing to do, for each of its processes.
Takes as long as the options say. Starts the service with data of its own, on Linux.

Usage: node bench/idle.ts [OPTIONS]

  --rest SECONDS      how long the service has nothing to do before it is measured (300)
  --measure SECONDS   how long it is measured (60)
  --url URL           scrape this page in the browser before the rest; by default, nothing is scraped
  --help              print this text
`;

const {
  rest: restSeconds,
  measure: measuredSeconds,
  url,
} = readCommandLine(HELP, { rest: count(300, 0), measure: count(60), url: text(undefined) });

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

const service = await startMeasuredService();
try {
  if (url) {
    const response = await fetch(`${service.instance.url}/v2/scrape`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.instance.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url, waitFor: 1, formats: ['markdown', 'screenshot'] }),
    });
    if (!response.ok) throw new Error(await response.text());
  }
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
  const memory = Object.values(byRole(after, 'pssMb')).reduce((sum, mb) => sum + mb, 0);
  console.log(`After ${restSeconds} s without work, measured for ${measuredSeconds} s\n`);
  console.log(
    table([
      ...rows,
      { role: 'sum', process: '', 'CPU-ms per second': cpu.toFixed(2), 'memory (PSS), MB': short(memory) },
    ]),
  );
} finally {
  await service.instance.stop();
}
