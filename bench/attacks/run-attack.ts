import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { RunFile } from '../../src/run/embedded/supervision/run-file.ts';
import { runFileOf, type ServiceAccess } from '../../test/support/service/start-service.ts';
import { startPages } from '../../test/support/sites/pages.ts';
import { byRole, sampleProcesses } from '../processes.ts';
import type { Attack } from './attack.ts';
import { Attacker, type TeamAccess, textAt } from './attacker.ts';

/**
 * Pause between the beginnings of two scrapes of the other team, whether or not the first one has ended, in
 * milliseconds.
 */
const BETWEEN_MS = 500;
const LOOK_MS = 3_000;
/** How long a response to the other team may take before it counts as lost, in milliseconds. */
const LOST_MS = 150_000;
const TEXT = 'The page of the team that is not at fault.';

/** The responses that a team got to its scrapes at a steady rate. */
export interface Scrapes {
  /** Milliseconds of each scrape with a result. */
  times: number[];
  /** Scrapes whose response was an error or another page. */
  errors: string[];
  /** Scrapes without a response. */
  lost: number;
}

/** The outcome of attacks. */
export interface Outcome {
  meanwhile: Scrapes;
  /** Number of responses to the attackers by status. */
  statuses: Map<number, number>;
  /** Operations that the attackers called. */
  called: Set<string>;
  strange: string[];
  /** Processes of the service that ended, by their roles. */
  ended: string[];
  /** The most memory (PSS) of all processes of the service, in MB. */
  peakMb: number;
}

/** The sites of an attack and of the other team. */
export interface Sites extends AsyncDisposable {
  hostile: string;
  /** The next page of the other team, which nobody has scraped. */
  nextPage(): string;
}

/** Starts a hostile site in a thread of its own, and pages for the other team. */
export async function startSites(): Promise<Sites> {
  await using started = new AsyncDisposableStack();
  const pages = started.use(await startPages({ '/': `<title>Page</title><main><p>${TEXT}</p></main>` }));
  const thread = new Worker(new URL('./hostile-site.ts', import.meta.url));
  started.defer(() => void thread.terminate());
  const hostile = await new Promise<string>((resolve, reject) => {
    thread.once('message', (origin) => resolve(String(origin)));
    thread.once('error', reject);
  });
  const resources = started.move();
  let next = 0;
  return {
    hostile,
    nextPage: () => `${pages.url}/?${next++}`,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Scrapes a page. @returns the parsed response, and its status */
async function scrape({ url, key }: TeamAccess, page: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}/v2/scrape`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: page, timeout: 100_000 }),
    signal: AbortSignal.timeout(LOST_MS),
  });
  return { status: response.status, body: await response.json() };
}

/** Scrapes new pages at a steady rate until it is aborted, and waits for all responses. */
export async function scrapeSteadily(team: TeamAccess, sites: Sites, end: AbortSignal): Promise<Scrapes> {
  const result: Scrapes = { times: [], errors: [], lost: 0 };
  const running: Promise<void>[] = [];
  const one = async () => {
    const start = performance.now();
    try {
      const { status, body } = await scrape(team, sites.nextPage());
      const isRight = textAt(body, 'data', 'markdown').includes(TEXT);
      if (status === 200 && isRight) result.times.push(performance.now() - start);
      else result.errors.push(`${status} ${JSON.stringify(body).slice(0, 300)}`);
    } catch (error) {
      result.lost++;
      result.errors.push(String(error));
    }
  };
  do {
    running.push(one());
    await sleep(BETWEEN_MS, undefined, { signal: end }).catch(() => undefined);
  } while (!end.aborted);
  await Promise.all(running);
  return result;
}

/** Where and for how long attacks run. */
export interface AttackRun {
  service: Pick<ServiceAccess, 'url' | 'dataDir'>;
  /** Makes a team for each attack. */
  makeTeam(): Promise<TeamAccess>;
  other: TeamAccess;
  sites: Sites;
  seconds: number;
  /** The `timeout` of most requests of the attackers; 10 s by default. */
  timeoutMs?: number;
  /** The most lanes in which each attack repeats something; as many as it wants by default. */
  maxLanes?: number;
}

/**
 * Runs attacks at the same time for some seconds, each by a team of its own, while the other team scrapes.
 */
export async function runAttacks(attacks: readonly Attack[], run: AttackRun): Promise<Outcome> {
  const { service, other, sites, seconds, timeoutMs = 10_000, maxLanes = Infinity } = run;
  const page = sites.nextPage();
  const first = await scrape(other, page);
  const scrapeId = textAt(first.body, 'data', 'metadata', 'scrapeId');
  const before = runFileOf(service);
  const ports = Object.values(before.urls).map((url) =>
    Number(/:(\d+)/.exec(url.replace(/^\w+:\/\//, ''))?.[1] ?? 0),
  );
  const around = {
    site: sites.hostile,
    other: { page, scrapeId },
    ports: ports.filter(Boolean),
    timeoutMs,
    maxLanes,
  };
  const teams = await Promise.all(attacks.map(() => run.makeTeam()));
  const deadline = AbortSignal.timeout(seconds * 1000);
  const attackers = teams.map((team) => new Attacker(team, around, deadline));
  const end = new AbortController();
  const scrapes = scrapeSteadily(other, sites, end.signal);
  const memory = watchMemory(service, end.signal);
  try {
    await Promise.all(attacks.map((attack, n) => attack.run(attackers[n]!)));
  } finally {
    end.abort();
  }
  const [meanwhile, peakMb] = await Promise.all([scrapes, memory]);
  return { meanwhile, peakMb, ended: endedSince(before, runFileOf(service)), ...accountOf(attackers) };
}

/** The processes of a service that have ended since then, by their roles. */
function endedSince(before: RunFile, after: RunFile): string[] {
  return Object.entries({ supervisor: before, ...before.children })
    .filter(([role, { pid }]) => pid !== (role === 'supervisor' ? after : after.children[role])?.pid)
    .map(([role]) => role);
}

/** The responses that all attackers got together. */
function accountOf(attackers: Attacker[]): Pick<Outcome, 'statuses' | 'called' | 'strange'> {
  const statuses = new Map<number, number>();
  for (const [status, times] of attackers.flatMap((attacker) => [...attacker.statuses]))
    statuses.set(status, (statuses.get(status) ?? 0) + times);
  return {
    statuses,
    called: new Set(attackers.flatMap(({ called }) => [...called])),
    strange: attackers.flatMap(({ strange }) => strange),
  };
}

/** @returns the most memory of a service until the end, in MB */
async function watchMemory(service: Pick<ServiceAccess, 'dataDir'>, end: AbortSignal): Promise<number> {
  let most = 0;
  do {
    const { pid, children } = runFileOf(service);
    const roots = Object.fromEntries(Object.entries(children).map(([role, child]) => [role, child.pid]));
    const memory = byRole(sampleProcesses({ supervisor: pid, ...roots }), 'pssMb');
    most = Math.max(
      most,
      Object.values(memory).reduce((sum, mb) => sum + mb, 0),
    );
    await sleep(LOOK_MS, undefined, { signal: end }).catch(() => undefined);
  } while (!end.aborted);
  return most;
}
