import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { RunFile } from '../../src/run/embedded/supervision/run-file.ts';
import { runFileOf, type ServiceAccess } from '../../test/support/service/start-service.ts';
import { byRole, sampleProcesses } from '../processes.ts';
import type { Attack } from './attack.ts';
import { Attacker, type TeamAccess, textAt } from './attacker.ts';
import { type Scrapes, scrapePage } from './steady-scrapes.ts';

const LOOK_MS = 3_000;
/** The outcome of attacks. */
export interface Outcome {
  meanwhile: Scrapes;
  /** Number of responses to the attackers by status. */
  statuses: Map<number, number>;
  /** Operations that the attackers called. */
  called: Set<string>;
  /** Number of attempts of the attackers to reach what is not theirs, and of those that held. */
  attempts: { all: number; held: number };
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
  /** Scrapes new pages at a steady rate until it is aborted, and waits for all responses. */
  scrapeSteadily(team: TeamAccess, end: AbortSignal): Promise<Scrapes>;
}

/**
 * Starts a hostile site, and the other team with its pages, each in a thread of its own: what attackers do in
 * this one takes seconds of its time, which would be measured as that of the service.
 */
export async function startSites(): Promise<Sites> {
  await using started = new AsyncDisposableStack();
  const start = async (file: string) => {
    const thread = new Worker(new URL(file, import.meta.url));
    started.defer(() => void thread.terminate());
    return { thread, origin: String(await nextMessage(thread)) };
  };
  const other = await start('./other-team.ts');
  const { origin: hostile } = await start('./hostile-site.ts');
  const resources = started.move();
  let next = 0;
  return {
    hostile,
    nextPage: () => `${other.origin}/?attacked=${next++}`,
    async scrapeSteadily(team, end) {
      other.thread.postMessage(team);
      const scrapes = nextMessage(other.thread);
      if (!end.aborted) await once(end, 'abort');
      other.thread.postMessage('end');
      // The thread sends nothing else.
      return (await scrapes) as Scrapes;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Waits for the next message of a thread. @throws the error that ends the thread before */
async function nextMessage(thread: Worker): Promise<unknown> {
  const [message] = await once(thread, 'message');
  return message;
}

/** Where and for how long attacks run. */
export interface AttackRun {
  service: Pick<ServiceAccess, 'url' | 'dataDir'>;
  /** Makes a team for each attack. */
  makeTeam(): Promise<TeamAccess>;
  other: TeamAccess;
  sites: Sites;
  /** A service with `WINNOW_AUTH=off`, which attacks of other origins need. */
  openUrl?: string | undefined;
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
  const first = await scrapePage(other, page);
  const scrapeId = textAt(first.body, 'data', 'metadata', 'scrapeId');
  const before = runFileOf(service);
  const ports = Object.values(before.urls).map((url) =>
    Number(/:(\d+)/.exec(url.replace(/^\w+:\/\//, ''))?.[1] ?? 0),
  );
  const around = {
    site: sites.hostile,
    other: { page, scrapeId },
    ports: ports.filter(Boolean),
    dataDir: service.dataDir,
    openUrl: run.openUrl,
    timeoutMs,
    maxLanes,
  };
  const teams = await Promise.all(attacks.map(() => run.makeTeam()));
  const deadline = AbortSignal.timeout(seconds * 1000);
  const attackers = teams.map((team) => new Attacker(team, around, deadline));
  const end = new AbortController();
  const scrapes = sites.scrapeSteadily(other, end.signal);
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
function accountOf(attackers: Attacker[]): Pick<Outcome, 'statuses' | 'called' | 'strange' | 'attempts'> {
  const statuses = new Map<number, number>();
  for (const [status, times] of attackers.flatMap((attacker) => [...attacker.statuses]))
    statuses.set(status, (statuses.get(status) ?? 0) + times);
  return {
    statuses,
    called: new Set(attackers.flatMap(({ called }) => [...called])),
    strange: attackers.flatMap(({ strange }) => strange),
    attempts: {
      all: attackers.reduce((sum, { attempts }) => sum + attempts.all, 0),
      held: attackers.reduce((sum, { attempts }) => sum + attempts.held, 0),
    },
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
