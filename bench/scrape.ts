import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Client } from '@temporalio/client';
import { render } from '../src/content/rendering/render.ts';
import { createRenderPool } from '../src/content/rendering/render-pool.ts';
import { PLAIN_PAGE } from '../src/fetch/engines/engine.ts';
import { createHttpEngine } from '../src/fetch/engines/http-engine.ts';
import { createEgress } from '../src/fetch/net/checked-egress.ts';
import { USER_AGENT } from '../src/fetch/net/user-agent.ts';
import { connectTemporal } from '../src/temporal/connection.ts';
import type { scrape as scrapeWorkflow } from '../src/workflows/scrape.ts';
import { count, readCommandLine } from './command-line.ts';
import { startSiteProcess } from './crawl/programs.ts';
import { type Caller, startMeasuredService } from './crawl/service.ts';
import { measure, percentile, short, table } from './figures.ts';
import { byRole, sampleProcesses } from './processes.ts';

const HELP = `Measures POST /v2/scrape of a static page, beside the same fetch and conversion as a function call and beside a
workflow with one activity that does nothing, on the same Temporal server in the same run. Takes about two minutes.
Starts the service with data of its own, on Linux.

Usage: node bench/scrape.ts [OPTIONS]

  --scrapes N   scrapes with 16 clients (1200), after 200 one after the other
  --help        print this text
`;

const SEQUENTIAL = 200;
const { scrapes: SUSTAINED } = readCommandLine(HELP, { scrapes: count(1_200) });
const CLIENTS = 16;
const WARM_UP = 60;

/** (a) The same fetch and conversion as a function call. */
function createPipeline(siteUrl: string) {
  const egress = createEgress({ allowPrivate: ['127.0.0.0/8'] });
  const http = createHttpEngine({ egress, userAgent: USER_AGENT, maxBodyBytes: 50 * 1024 * 1024 });
  const pool = createRenderPool({ threads: 2, maxMemoryMb: 512, maxTaskMs: 60_000 });
  const fetchPage = (index: number) =>
    http.fetchPage(
      {
        sourceUrl: `${siteUrl}/article/${index}`,
        url: `${siteUrl}/article/${index}`,
        ...PLAIN_PAGE,
      },
      AbortSignal.timeout(30_000),
    );
  const task = async (index: number) => ({
    snapshot: await fetchPage(index),
    clean: { onlyMainContent: true, removeBase64Images: true },
    formats: [{ type: 'markdown' }],
  });
  return {
    inline: async (index: number) => render(await task(index)),
    threaded: async (index: number) =>
      pool.render(await task(index), { owner: 'bench', signal: AbortSignal.timeout(30_000) }),
    close: () => Promise.all([pool.close(), egress.close()]),
  };
}

/** (b) Starts a worker for the workflow with one activity that does nothing. */
async function startIdle(address: string) {
  const worker = fork(new URL('./engine/worker.ts', import.meta.url), [address]);
  await once(worker, 'message');
  const connection = await connectTemporal(address);
  const client = new Client({ connection });
  const boot = Date.now();
  return {
    one: (index: number) =>
      client.workflow.execute('idle', { taskQueue: 'idle', workflowId: `idle-${boot}-${index}` }),
    async stop() {
      worker.disconnect();
      await once(worker, 'exit');
      await connection.close();
    },
  };
}

function createScraper({ url, key }: Caller, siteUrl: string) {
  return async (index: number) => {
    const response = await fetch(`${url}/v2/scrape`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: `${siteUrl}/article/${index}` }),
    });
    const answer = await response.text();
    if (response.status !== 200) throw new Error(answer);
  };
}

/**
 * Samples the memory of the service while `work` runs.
 * @returns PSS in MB by role, at the moment of the highest sum
 */
async function watchMemory(roots: Record<string, number>, work: () => Promise<unknown>) {
  let most: Record<string, number> = {};
  const sum = (parts: Record<string, number>) => Object.values(parts).reduce((all, part) => all + part, 0);
  const timer = setInterval(() => {
    const now = byRole(sampleProcesses(roots), 'pssMb');
    if (sum(now) > sum(most)) most = now;
  }, 1_000);
  await work();
  clearInterval(timer);
  return most;
}

/** Median milliseconds of the stages of the newest scrapes, from the results of their workflows. */
async function whereTimeGoes(address: string): Promise<Record<string, number>> {
  const connection = await connectTemporal(address);
  const client = new Client({ connection });
  const stages: Record<string, number[]> = {};
  let seen = 0;
  for await (const { workflowId } of client.workflow.list({ query: "WorkflowType = 'scrape'" })) {
    if (seen++ >= 50) break;
    const report = await client.workflow.getHandle<typeof scrapeWorkflow>(workflowId).result();
    if (typeof report !== 'object') continue;
    for (const [stage, ms] of Object.entries(report.ms)) stages[stage] = [...(stages[stage] ?? []), ms];
  }
  await connection.close();
  return Object.fromEntries(Object.entries(stages).map(([name, times]) => [name, percentile(times, 0.5)]));
}

const site = await startSiteProcess();
const { instance, roots, temporalAddress } = await startMeasuredService();
const pipeline = createPipeline(site.url);
const idle = await startIdle(temporalAddress);
const scrape = createScraper(instance, site.url);
try {
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const idleMemory = byRole(sampleProcesses(roots), 'pssMb');
  for (const warm of [pipeline.inline, pipeline.threaded, idle.one, scrape]) {
    await measure(WARM_UP, 4, (index) => warm(1_000_000 + index));
  }

  const a = await measure(SEQUENTIAL, 1, pipeline.inline);
  const b = await measure(SEQUENTIAL, 1, idle.one);
  const whole = await measure(SEQUENTIAL, 1, scrape);
  const row = (name: string, { times }: { times: number[] }) => ({
    'one after the other': name,
    'p50 ms': short(percentile(times, 0.5)),
    'p99 ms': short(percentile(times, 0.99)),
  });
  console.log(
    table([
      row('(a) fetch and conversion as a function', a),
      row('(b) idle workflow', b),
      row('POST /v2/scrape', whole),
    ]),
  );
  const beyond = percentile(whole.times, 0.5) - percentile(a.times, 0.5) - percentile(b.times, 0.5);
  console.log(`\nbeyond (a) + (b) at p50: ${short(beyond)} ms (goal: at most 10)\n`);
  console.log(
    table(
      Object.entries(await whereTimeGoes(temporalAddress)).map(([step, ms]) => ({
        'stage in the worker': step,
        'p50 ms': short(ms),
      })),
    ),
  );

  const p = await measure(SUSTAINED, CLIENTS, (index) => pipeline.threaded(10_000 + index));
  const engineBefore = byRole(sampleProcesses(roots), 'cpuMs');
  const w = await measure(SUSTAINED, CLIENTS, (index) => idle.one(10_000 + index));
  const before = byRole(sampleProcesses(roots), 'cpuMs');
  let s = { totalMs: 0 };
  const loadMemory = await watchMemory(roots, async () => {
    s = await measure(SUSTAINED, CLIENTS, (index) => scrape(10_000 + index));
  });
  const after = byRole(sampleProcesses(roots), 'cpuMs');
  const rate = ({ totalMs }: { totalMs: number }) => (SUSTAINED / totalMs) * 1000;
  const bound = 1 / (1 / rate(p) + 1 / rate(w));
  console.log(
    `\n${table([
      { [`${CLIENTS} clients`]: 'in-memory pipeline (p)', 'per second': short(rate(p)) },
      { [`${CLIENTS} clients`]: 'idle workflow (w)', 'per second': short(rate(w)) },
      { [`${CLIENTS} clients`]: 'bound 1/(1/p + 1/w)', 'per second': short(bound) },
      { [`${CLIENTS} clients`]: 'POST /v2/scrape', 'per second': short(rate(s)) },
    ])}`,
  );
  console.log(`\nratio to the bound: ${(rate(s) / bound).toFixed(2)} (goal: at least 0.85)\n`);
  const engineCpu = ((before.temporal ?? 0) - (engineBefore.temporal ?? 0)) / SUSTAINED;
  console.log(`Temporal alone: ${short(engineCpu)} CPU-ms per idle workflow\n`);
  const roles = Object.keys(after);
  const sum = (parts: Record<string, number>) => roles.reduce((all, name) => all + (parts[name] ?? 0), 0);
  const cpu = Object.fromEntries(
    roles.map((name) => [name, ((after[name] ?? 0) - (before[name] ?? 0)) / SUSTAINED]),
  );
  const line = (name: string, parts: { cpu: number; idle: number; load: number }) => ({
    process: name,
    'CPU-ms per scrape': short(parts.cpu),
    'PSS idle MB': short(parts.idle),
    'PSS under load MB': short(parts.load),
  });
  console.log(
    table([
      ...roles.map((name) =>
        line(name, { cpu: cpu[name]!, idle: idleMemory[name] ?? 0, load: loadMemory[name] ?? 0 }),
      ),
      line('sum', { cpu: sum(cpu), idle: sum(idleMemory), load: sum(loadMemory) }),
    ]),
  );
  console.log('\n(goal: at most 700 MB idle)');
} finally {
  await idle.stop();
  await pipeline.close();
  await instance.stop();
  site.stop();
}
