import { sendSignal } from '../../src/run/embedded/supervision/orphan-processes.ts';
import type { ProcessId } from '../../src/run/embedded/supervision/process-identity.ts';
import type { DataDirectoryLock } from '../../src/run/embedded/supervision/run-file.ts';
import {
  type ProcessPlan,
  SupervisedProcess,
} from '../../src/run/embedded/supervision/supervised-process.ts';
import type { Progress } from '../../src/run/embedded/terminal-progress.ts';

/** One process of the cluster. */
export interface ClusterPart {
  /** Process id; `undefined` while it is down. */
  readonly pid: number | undefined;
  /** Path of its log. */
  readonly log: string;
}

/** Starts processes, restarts those that die, and kills them on request. */
export interface Supervisor {
  readonly parts: Record<string, ClusterPart>;
  /**
   * Starts processes at the same time.
   * @throws ServiceError of the first one that does not start, after all have settled
   */
  start(plans: ProcessPlan[]): Promise<void>;
  /** Stops a process in order and starts another one in its place, by a plan of the same name. */
  replace(plan: ProcessPlan): Promise<void>;
  /** Kills a process with SIGKILL. It is restarted like any that dies. @throws Error if it is not running */
  kill(name: string): void;
  /** Resolves when the process is ready, at once if it is. */
  untilUp(name: string): Promise<void>;
  /** Stops all processes in the reverse of their start order. */
  stop(): Promise<void>;
  /** Kills all processes without waiting. */
  killAll(): void;
}

interface Watched {
  part: SupervisedProcess;
  child: ProcessId | undefined;
  isUp: boolean;
  up: PromiseWithResolvers<void>;
}

/**
 * Creates a supervisor.
 * @param run file that records the processes, so that the next start on the same data ends those that are
 * left
 */
export function createSupervisor({
  run,
  progress,
}: {
  run: DataDirectoryLock;
  progress: Progress;
}): Supervisor {
  const watched: Record<string, Watched> = {};
  const groups: SupervisedProcess[][] = [];
  const parts: Record<string, ClusterPart> = {};
  let stopped = false;

  const markDown = (entry: Watched) => {
    if (entry.isUp) entry.up = Promise.withResolvers();
    entry.isUp = false;
  };
  const watch = (plan: ProcessPlan): SupervisedProcess => {
    const { name } = plan;
    const ready: ProcessPlan['ready'] = async (child, signal) => {
      await plan.ready(child, signal);
      // The wait may also have been aborted.
      if (signal.aborted) return;
      entry.isUp = true;
      entry.up.resolve();
    };
    const part = new SupervisedProcess(
      { ...plan, ready },
      {
        onProcess(child) {
          entry.child = child;
          if (!child) markDown(entry);
          run.setChild(name, child);
        },
        onNotice: progress.note,
      },
    );
    const entry: Watched = { part, child: undefined, isUp: false, up: Promise.withResolvers() };
    watched[name] = entry;
    parts[name] = {
      get pid() {
        return entry.child?.pid;
      },
      log: plan.log.path,
    };
    return part;
  };
  const find = (name: string): Watched => {
    const entry = watched[name];
    if (!entry) throw new Error(`There is no part ${name}, but: ${Object.keys(watched).join(', ')}.`);
    return entry;
  };

  return {
    parts,
    async start(plans) {
      if (stopped) throw new Error('The cluster is being stopped.');
      const group = plans.map(watch);
      groups.push(group);
      const titles = plans.map(({ title }) => title).join(', ');
      const outcomes = await progress.step(`Starting ${titles}`, () =>
        Promise.allSettled(group.map((part) => part.start())),
      );
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    },
    async replace(plan) {
      const { part } = find(plan.name);
      await part.stop();
      const next = watch(plan);
      for (const group of groups) {
        const at = group.indexOf(part);
        if (at >= 0) group[at] = next;
      }
      await next.start();
    },
    kill(name) {
      const entry = find(name);
      if (!entry.child) throw new Error(`${name} is down already.`);
      markDown(entry);
      sendSignal(entry.child.pid, 'SIGKILL');
    },
    untilUp: (name) => find(name).up.promise,
    async stop() {
      stopped = true;
      for (const group of groups.toReversed()) await Promise.all(group.map((part) => part.stop()));
    },
    killAll() {
      stopped = true;
      for (const part of groups.flat()) part.kill();
    },
  };
}
