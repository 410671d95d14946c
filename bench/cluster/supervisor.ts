import { sendSignal } from '../../src/embedded/supervision/orphan-processes.ts';
import type { ProcessId } from '../../src/embedded/supervision/process-identity.ts';
import type { DataDirectoryLock } from '../../src/embedded/supervision/run-file.ts';
import { type ProcessPlan, SupervisedProcess } from '../../src/embedded/supervision/supervised-process.ts';
import type { Progress } from '../../src/embedded/terminal-progress.ts';

/** One process of the cluster. */
export interface ClusterPart {
  /** `undefined` while it is down. */
  readonly pid: number | undefined;
  /** The path of its log. */
  readonly log: string;
}

/** Starts parts, starts again what dies, and lets a test end them. */
export interface Supervisor {
  readonly parts: Record<string, ClusterPart>;
  /** Starts parts side by side. @throws ServiceError of the first one that does not come up, when all have settled */
  start(plans: ProcessPlan[]): Promise<void>;
  /** Ends the process of a part with SIGKILL; it is started again as any that dies. @throws Error when it is down */
  kill(name: string): void;
  /** Resolves when the part serves, at once if it does now. */
  untilUp(name: string): Promise<void>;
  /** Ends all in the reverse of the order in which they were started. */
  stop(): Promise<void>;
  /** Ends all without waiting for anything. */
  killAll(): void;
}

interface Watched {
  part: SupervisedProcess;
  child: ProcessId | undefined;
  isUp: boolean;
  up: PromiseWithResolvers<void>;
}

/** @param run where the processes are written down, so that the next start on these data ends what is left of them */
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
      // The wait may also have been called off.
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
        onNews: progress.note,
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
