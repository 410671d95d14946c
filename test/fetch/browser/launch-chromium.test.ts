import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { launchChromium } from '../../../src/fetch/browser/chromium/launch-chromium.ts';
import { findChromium } from '../../../src/run/embedded/chromium.ts';
import { runCommand } from '../../../src/run/embedded/command.ts';
import { requireUserNamespaces } from '../../support/processes/user-namespaces.ts';

/** How Chromium begins and ends. */

const logger = pino({ level: 'silent' });
/** Nothing listens there: no page is loaded. */
const PROXY = `{ url: 'http://127.0.0.1:9', doors: async () => [], allowUser() {} }`;
const proxy = { url: 'http://127.0.0.1:9', doors: async () => [], allowUser: () => undefined };
let executablePath: string;
beforeAll(async () => {
  executablePath = (await findChromium(readConfig())).path;
});

/** A process that has a browser, by the browser's pid. */
async function startOwner(): Promise<{ owner: ChildProcess; browser: number }> {
  const launch = new URL('../../../src/fetch/browser/chromium/launch-chromium.ts', import.meta.url);
  const script = `
    const { launchChromium } = await import(${JSON.stringify(launch)});
    const options = { executablePath: ${JSON.stringify(executablePath)}, proxy: ${PROXY} };
    const { connection } = await launchChromium({ ...options, logger: { warn() {} } });
    const { processInfo } = await connection.browser.send('SystemInfo.getProcessInfo');
    console.log(processInfo.find(({ type }) => type === 'browser').id);
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(owner.stdout!, 'data');
  return { owner, browser: Number(line) };
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const homesOf = async (pid: number) =>
  (await readdir(tmpdir())).filter((name) => new RegExp(`^winnow-chromium-${pid}-[^.]+$`).test(name));

const source = (file: string) => JSON.stringify(new URL(`../../../src/${file}`, import.meta.url).pathname);

/**
 * Runs a program where no process can make a user namespace, as in many containers. Only root may set that
 * up.
 * @returns what it prints
 */
async function withoutUserNamespaces(...command: string[]): Promise<string> {
  // Only what is started after the user is known in the namespace may forbid more of them.
  const script = `read ready; exec sh -c 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"' sh "$@"`;
  const child = spawn('unshare', ['--user', 'sh', '-c', script, 'sh', ...command], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (text) => {
    said += text;
  });
  const ended = once(child, 'exit');
  await expect
    .poll(() => readlink(`/proc/${child.pid}/ns/user`))
    .not.toBe(await readlink('/proc/self/ns/user'));
  for (const map of ['uid_map', 'gid_map']) await writeFile(`/proc/${child.pid}/${map}`, '0 0 65536');
  child.stdin.end('ready\n');
  await ended;
  return said;
}
const isRoot = process.getuid?.() === 0;

describe('Chromium without user namespaces', () => {
  it.runIf(isRoot)('runs, with a warning that says what is weaker and what to do', async ({ skip }) => {
    requireUserNamespaces(skip);
    const script = `
      const { launchChromium } = await import(${source('fetch/browser/chromium/launch-chromium.ts')});
      const options = { executablePath: ${JSON.stringify(executablePath)}, proxy: ${PROXY} };
      const { connection, close } = await launchChromium({ ...options, logger: { warn: console.log } });
      console.log((await connection.browser.send('Browser.getVersion')).product);
      await close();`;
    const said = await withoutUserNamespaces(process.execPath, '--input-type=module', '-e', script);
    expect(said).toMatch(/^Chromium runs without its own sandbox, because user namespaces are off here/);
    expect(said).toContain('a page that breaks out of it has the rights of a user without an account');
    expect(said).toContain('Allow unprivileged user namespaces');
    expect(said).toMatch(/Chrome\/\d+/);
  });

  it.runIf(isRoot)('is reported by doctor', async ({ skip }) => {
    requireUserNamespaces(skip);
    const entry = new URL('../../../bin/winnow.js', import.meta.url).pathname;
    const said = await withoutUserNamespaces(process.execPath, entry, 'doctor');
    expect(said).toMatch(/^note +Sandbox +Chromium runs without its own sandbox/m);
  });

  it('is not reported by doctor where there are user namespaces', async ({ skip }) => {
    requireUserNamespaces(skip);
    const entry = new URL('../../../bin/winnow.js', import.meta.url).pathname;
    const { stdout } = await runCommand(process.execPath, [entry, 'doctor']);
    expect(stdout).toMatch(/^ok +Sandbox +Chromium runs in its own sandbox$/m);
  });
});

describe('Chromium', () => {
  it('ends with its parent process, also after kill -9, and the next start removes its files', async () => {
    const { owner, browser } = await startOwner();
    expect(isAlive(browser)).toBe(true);
    expect(await homesOf(owner.pid!)).toHaveLength(1);
    owner.kill('SIGKILL');
    await expect.poll(() => isAlive(browser)).toBe(false);
    const next = await launchChromium({ executablePath, proxy, logger });
    expect(await homesOf(owner.pid!)).toEqual([]);
    await next.close();
    await expect.poll(() => homesOf(process.pid)).toEqual([]);
  });

  it('does without a network of its own only where it never had one', async ({ skip }) => {
    requireUserNamespaces(skip);
    await (await launchChromium({ executablePath, proxy, logger })).close();
    // No program can listen on this port, so that the network cannot be used.
    const doors = async () => [{ port: 70_000, serve: () => undefined }];
    const shared: number[] = [];
    const broken = { url: proxy.url, doors, allowUser: (uid: number) => void shared.push(uid) };
    await expect(launchChromium({ executablePath, proxy: broken, logger })).rejects.toThrow('was not opened');
    expect(shared).toEqual([]);
  });

  it('that does not start is an error with the reason', async () => {
    const program = { executablePath: process.execPath, proxy, logger };
    await expect(launchChromium(program)).rejects.toThrow(/does not start: .*bad option/);
    const nothing = { executablePath: '/nowhere/chromium', proxy, logger };
    await expect(launchChromium(nothing)).rejects.toThrow(/nowhere\/chromium.* does not start/);
  });
});
