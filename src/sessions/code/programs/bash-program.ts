import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { constants } from 'node:os';
import { type CallOutcome, serveCalls } from './host-channel.ts';

/**
 * Executes bash code in the sandbox, with the program agent-browser on the session's browser. Arguments: the Unix socket of
 * the browser, and the port of the sandbox's own loopback where agent-browser, which cannot connect to Unix sockets, finds
 * it; without them, the program ends when it has loaded its modules, so that V8 stores their compiled code.
 */

const AGENT_BROWSER = 'agent-browser';
/** What agent-browser exits with when it has no daemon is of no interest here. */
const FAILED_TO_START = 127;

const [, , socketPath, port] = process.argv;
if (socketPath === undefined) process.exit();
await relay(socketPath, Number(port));

/** The tab that agent-browser used last; `undefined` before it was used. */
let current: string | undefined;

serveCalls(async ({ code, targetId }) => {
  const usesBrowser = current !== undefined || code.includes(AGENT_BROWSER);
  if (usesBrowser && targetId !== undefined && targetId !== current) await agentBrowser('tab', targetId);
  const outcome = await runBash(code);
  if (usesBrowser) current = (await findCurrentTab()) ?? targetId;
  return { ...outcome, targetId: current };
});

async function runBash(code: string): Promise<CallOutcome> {
  const options: SpawnOptions = { stdio: ['ignore', 'inherit', 'inherit'], cwd: '/tmp' };
  const { exitCode } = await exitOf('/bin/bash', ['-c', code], options);
  return { exitCode, ...(exitCode !== 0 && { error: `bash exited with code ${exitCode}.` }) };
}

/** The target id of the active tab of agent-browser; `undefined` if it has none. */
async function findCurrentTab(): Promise<string | undefined> {
  const printed = await agentBrowser('tab', 'list', '--json');
  try {
    const { data } = JSON.parse(printed) as { data?: { tabs?: { active?: boolean; targetId?: string }[] } };
    return data?.tabs?.find(({ active }) => active)?.targetId;
  } catch {
    // It could not connect, and printed something else.
    return undefined;
  }
}

/** Runs agent-browser. @returns what it printed */
async function agentBrowser(...args: string[]): Promise<string> {
  const child = spawn(AGENT_BROWSER, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  await once(child, 'close').catch(() => undefined);
  return printed;
}

async function exitOf(program: string, args: string[], options: SpawnOptions): Promise<{ exitCode: number }> {
  const child = spawn(program, args, options);
  try {
    const [code, signal] = await once(child, 'exit');
    return { exitCode: code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0) };
  } catch {
    // Too many processes are left of earlier calls.
    return { exitCode: FAILED_TO_START };
  }
}

/** Passes connections to the port on to the browser's socket. */
async function relay(path: string, port: number): Promise<void> {
  const server = createServer((client) => {
    const browser = connect(path);
    join(client, browser);
    join(browser, client);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

function join(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on('error', () => to.destroy()).on('close', () => to.destroy());
}
