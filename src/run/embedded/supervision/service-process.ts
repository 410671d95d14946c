import { type ChildProcess, spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { inheritedEnvironment } from '../../../config.ts';
import { messageOf } from '../../../errors.ts';
import { hasLittleMemory } from '../../../system/memory.ts';
import type { LogFile } from './log-files.ts';
import type { ProcessPlan } from './supervised-process.ts';

const REPEAT_AFTER_MS = 10_000;
/**
 * Settings of the C library (bytes). Freed memory at the end of its heap goes back to the system from 1 MiB
 * on. By default, this threshold grows to 64 MiB as soon as a large buffer has been freed, so that a worker
 * keeps most of what a batch took. Setting one threshold stops the growth of the other, above which each
 * buffer is mapped by itself and goes back as soon as it is freed: files that arrive or are converted would
 * leave holes in the heap, 140 MB after ten PDF files. The Dockerfile has the same settings for processes
 * without a supervisor.
 */
export const MEMORY_SETTINGS = { MALLOC_TRIM_THRESHOLD_: '1048576', MALLOC_MMAP_THRESHOLD_: '1048576' };

/**
 * Flags of V8 where memory is little. Its young generation, which by default takes up to 48 MiB of each process,
 * takes up to 12 (https://v8.dev/blog/orinoco-parallel-scavenger).
 */
const memoryFlags = () => (hasLittleMemory() ? ['--max-semi-space-size=4'] : []);

/** How one of Winnow's own programs is run under supervision. */
export interface ServiceProcessOptions {
  name: string;
  title: string;
  /** Path of the program, relative to `src/`. */
  entry: string;
  settings: Record<string, string | undefined>;
  log: LogFile;
  graceMs: number;
  /** Called with warnings and errors from its log, as readable text. */
  onWarning(text: string): void;
  /** Called with the URL it serves, if it reports one when it is ready. */
  onUrl?(url: string): void;
}

/**
 * Plans the API or a worker. The process runs under the same Node binary, sends `{starting: true}` over IPC
 * while it migrates the database and `{ready: true, url?}` when it accepts requests, and exits when the
 * channel closes because the supervisor died.
 */
export function planServiceProcess(options: ServiceProcessOptions): ProcessPlan {
  const { name, title, log } = options;
  return {
    name,
    title,
    log,
    launch() {
      const entry = join(import.meta.dirname, '../../..', options.entry);
      const child = spawn(process.execPath, [...memoryFlags(), entry], {
        detached: true,
        env: { ...MEMORY_SETTINGS, ...inheritedEnvironment(options.settings) },
        stdio: ['ignore', log.fd, 'pipe', 'ipc'],
      });
      child.stderr?.on('data', createLogReader(options));
      return child;
    },
    ready: (child, signal, onAlive) => waitForReadyMessage(child, signal, { onAlive, onUrl: options.onUrl }),
    readyWithinMs: 60_000,
    stopSignal: 'SIGTERM',
    graceMs: options.graceMs,
  };
}

function waitForReadyMessage(
  child: ChildProcess,
  signal: AbortSignal,
  { onAlive, onUrl }: { onAlive?: (() => void) | undefined; onUrl: ServiceProcessOptions['onUrl'] },
): Promise<void> {
  return new Promise((resolve) => {
    const listen = (message: unknown) => {
      if (typeof message !== 'object' || message === null) return;
      if ('starting' in message) onAlive?.();
      if (!('ready' in message) || !message.ready) return;
      child.off('message', listen);
      if ('url' in message && typeof message.url === 'string') onUrl?.(message.url);
      resolve();
    };
    child.on('message', listen);
    signal.addEventListener('abort', () => child.off('message', listen));
  });
}

/**
 * Copies stderr to the log and reports lines of level 40 (warn) and above; the same text at most every 10 s.
 */
function createLogReader({ name, log, onWarning }: ServiceProcessOptions): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  const reportedAt = new Map<string, number>();
  const report = (text: string) => {
    if (Date.now() - (reportedAt.get(text) ?? 0) < REPEAT_AFTER_MS) return;
    if (reportedAt.size > 100) reportedAt.clear();
    reportedAt.set(text, Date.now());
    onWarning(`${name}: ${text}`);
  };
  let rest = '';
  return (chunk) => {
    // Where the log cannot be written (on a full disk, for example), its lines are lost, and everything else
    // continues.
    try {
      writeSync(log.fd, chunk);
    } catch (error) {
      report(`warning: its log cannot be written: ${messageOf(error)}`);
    }
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const text = readableWarning(line);
      if (text) report(text);
    }
  };
}

/** The text of a pino line that is a warning or worse; `undefined` for any other line. */
export function readableWarning(line: string): string | undefined {
  // Nearly all lines are below this level and are skipped without parsing.
  if (!/^\{"level":[4-6]0,/.test(line)) return undefined;
  try {
    const entry: { level: number; msg?: unknown; err?: { message?: unknown } } = JSON.parse(line);
    const parts = [entry.msg, entry.err?.message].filter((part) => typeof part === 'string' && part !== '');
    return `${entry.level === 40 ? 'warning' : 'error'}: ${[...new Set(parts)].join(': ') || line}`;
  } catch {
    return undefined; // The line was cut off; the log file contains it.
  }
}
