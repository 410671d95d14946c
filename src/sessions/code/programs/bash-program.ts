import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { constants, homedir } from 'node:os';
import { join } from 'node:path';
import { type CallOutcome, serveCalls } from './host-channel.ts';

/**
 * Executes bash code in the sandbox, with the program agent-browser on the session's browser. Arguments: the
 * Unix socket of the browser, and the port of the sandbox's own loopback where agent-browser, which cannot
 * connect to Unix sockets, finds it; without them, the program ends when it has loaded its modules, so that
 * V8 stores their compiled code.
 */

const AGENT_BROWSER = 'agent-browser';
/** Where agent-browser stores which tab it uses. */
const TARGET_FILE = join(homedir(), '.agent-browser', 'default.target');
/** The exit code of a shell for a command that could not be started. */
const FAILED_TO_START = 127;

const [, , socketPath, port] = process.argv;
if (socketPath === undefined) process.exit();
await relay(socketPath, Number(port));

/** The tab that agent-browser used last; `undefined` before it was used. */
let current: string | undefined;

serveCalls(async ({ code, targetId }) => {
  const usesBrowser = current !== undefined || code.includes(AGENT_BROWSER);
  if (usesBrowser && targetId !== undefined && targetId !== current) await selectTab(targetId);
  const outcome = await runBash(code);
  if (usesBrowser) current = (await findCurrentTab()) ?? targetId;
  return { ...outcome, targetId: current };
});

async function runBash(code: string): Promise<CallOutcome> {
  const options: SpawnOptions = { stdio: ['ignore', 'inherit', 'inherit'], cwd: '/tmp' };
  const { exitCode } = await exitOf('/bin/bash', ['-c', code], options);
  return { exitCode, ...(exitCode !== 0 && { error: `bash exited with code ${exitCode}.` }) };
}

/**
 * The target id of the active tab of agent-browser; `undefined` if it has none. Asking it by a command takes
 * ten times as long.
 */
async function findCurrentTab(): Promise<string | undefined> {
  try {
    const { targetId } = JSON.parse(await readFile(TARGET_FILE, 'utf8')) as { targetId?: unknown };
    return typeof targetId === 'string' ? targetId : undefined;
  } catch {
    // It could not connect yet, or the code has changed its file.
    return undefined;
  }
}

/** Makes agent-browser use another tab. It fails if that was closed, and then stays where it is. */
async function selectTab(targetId: string): Promise<void> {
  await exitOf(AGENT_BROWSER, ['tab', targetId], { stdio: 'ignore' });
}

async function exitOf(program: string, args: string[], options: SpawnOptions): Promise<{ exitCode: number }> {
  const child = spawn(program, args, options);
  try {
    const [code, signal] = await once(child, 'exit');
    return { exitCode: code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0) };
  } catch {
    // The program cannot be started, for example because processes of earlier calls use up the limit of
    // processes.
    return { exitCode: FAILED_TO_START };
  }
}

/** Passes connections to the port on to the browser's socket. */
async function relay(path: string, port: number): Promise<void> {
  const server = createServer((client) => {
    const browser = connect(path);
    pass(client, browser);
    pass(browser, client);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

function pass(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on('error', () => to.destroy()).on('close', () => to.destroy());
}
