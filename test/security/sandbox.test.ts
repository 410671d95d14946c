import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf } from '../../src/errors.ts';
import { runCommand } from '../../src/run/embedded/command.ts';
import { scrape } from '../support/api/call.ts';
import type { Process } from '../support/processes/process-list.ts';
import { chromiumProcesses } from '../support/processes/service-processes.ts';
import { requireUserNamespaces } from '../support/processes/user-namespaces.ts';
import { runFileOf } from '../support/service/start-service.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { ALLOWED } from './canary.ts';

/** The privileges of the browser processes while a page is open, read from /proc. */

const { dataDir } = useService();
const isRoot = process.getuid?.() === 0;

/**
 * Whether a file of /proc is missing because its process has ended: pages of other test files share the
 * browser.
 */
const hasEnded = (error: unknown) => codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH';

/**
 * Listening TCP sockets (`0A`) or all UDP sockets of a process, by inode; `undefined` if the process has
 * ended.
 */
async function findSockets(pid: number, table: 'tcp' | 'udp') {
  try {
    return await socketsOf(pid, table);
  } catch (error) {
    if (hasEnded(error)) return undefined;
    throw error;
  }
}

async function socketsOf(pid: number, table: 'tcp' | 'udp'): Promise<{ local: string; remote: string }[]> {
  const fds = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(fds.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
  const files = await Promise.all(
    ['', '6'].map((family) => readFile(`/proc/${pid}/net/${table}${family}`, 'utf8')),
  );
  return files
    .flatMap((file) => file.trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, , , state, , , , , , inode]) =>
        (table === 'udp' || state === '0A') && links.includes(`socket:[${inode}]`),
    )
    .map(([, local = '', remote = '']) => ({ local, remote }));
}

/** The user, pid and network namespaces of a process; `undefined` if it has ended. */
async function readNamespaces(pid: number | 'self'): Promise<string[] | undefined> {
  try {
    return await Promise.all(['user', 'pid', 'net'].map((kind) => readlink(`/proc/${pid}/ns/${kind}`)));
  } catch (error) {
    if (hasEnded(error)) return undefined;
    throw error;
  }
}

const isRenderer = ({ command }: Process) => command.includes('--type=renderer');

describe.runIf(process.platform === 'linux')('the browser, while a page is open', () => {
  let site: Pages;
  let visit: Promise<unknown>;
  let processes: Process[];
  const candidates: string[] = [];

  beforeAll(async () => {
    site = await startPages(
      {
        '/': `<main>Open</main><script>
          const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:name.test:9' }] });
          peer.onicecandidate = ({ candidate }) => fetch('/candidate?' + (candidate ? candidate.candidate : ''));
          peer.createDataChannel('x');
          peer.createOffer().then((offer) => peer.setLocalDescription(offer)).then(() => fetch('/running'));
        </script>`,
        '/running': '',
        '/candidate': (request, response) => {
          candidates.push(request.url?.split('?')[1] ?? '');
          response.end();
        },
      },
      ALLOWED,
    );
    visit = scrape({ url: `${site.url}/`, waitFor: 25_000, maxAge: 0 });
    // A renderer that runs scripts has locked itself in.
    await pollUntil(() => site.headersOf('/running'));
    processes = chromiumProcesses();
  });
  afterAll(async () => {
    await visit;
    await site[Symbol.asyncDispose]();
  });

  it('never runs as root, gains no privileges, and has its sandbox on', ({ skip }) => {
    requireUserNamespaces(skip);
    expect(processes.length).toBeGreaterThan(2);
    for (const { command, status } of processes) {
      if (!command.includes('--type=')) expect(command).toContain('--host-resolver-rules=MAP * ~NOTFOUND');
      expect(command).not.toMatch(/--no-sandbox|--disable-\S*sandbox|--single-process/);
      for (const id of [...status('Uid').split(/\s+/), ...status('Gid').split(/\s+/)])
        expect(Number(id)).not.toBe(0);
      expect(status('Groups').trim()).toBe('');
    }
  });

  it('runs pages in processes with a system call filter, separate namespaces and no capabilities', async ({
    skip,
  }) => {
    requireUserNamespaces(skip);
    const renderers = processes.filter(isRenderer);
    // One that waits for a page that may come has not begun.
    const locked = renderers.filter(({ status }) => status('Seccomp') === '2');
    expect(locked.length).toBeGreaterThan(0);
    let checked = 0;
    for (const { pid, status } of locked) {
      expect(status('NoNewPrivs')).toBe('1');
      expect(status('NSpid').split(/\s+/).length).toBeGreaterThan(1);
      for (const set of ['CapEff', 'CapPrm', 'CapInh']) expect(status(set)).toBe('0000000000000000');
      const namespaces = await readNamespaces(pid);
      if (!namespaces) continue;
      const [user, pidSpace, net] = (await readNamespaces('self'))!;
      expect(namespaces[0]).not.toBe(user);
      expect(namespaces[1]).not.toBe(pidSpace);
      expect(namespaces[2]).not.toBe(net);
      checked++;
    }
    expect(checked).toBeGreaterThan(0);
  });

  it('has a network of its own, from which no port of this machine can be reached', async ({ skip }) => {
    requireUserNamespaces(skip);
    const browser = processes.find(({ command }) => !command.includes('--type='))!;
    const network = (pid: number | string) => readlink(`/proc/${pid}/ns/net`);
    expect(await network(browser.pid)).not.toBe(await network('self'));
    // Whoever breaks out of the browser is there. Only root may enter from here.
    if (process.getuid?.() !== 0) return;
    const { api = '', temporal = '' } = runFileOf({ dataDir }).urls;
    const ports = [api, temporal, site.url].map((url) => Number(/:(\d+)(?!.*:\d)/.exec(url)?.[1]));
    const script = `for (const port of [${ports}])
      for (const host of ['127.0.0.1', '${ALLOWED}', '::1'])
        require('node:net').connect({ port, host })
          .on('connect', () => { console.log('reached', host, port); process.exit(); })
          .on('error', ({ code }) => console.log(code));`;
    const said = await runCommand('nsenter', [
      `--net=/proc/${browser.pid}/ns/net`,
      ...[process.execPath, '-e', script],
    ]);
    expect(said.stderr).toBe('');
    expect(new Set(said.stdout.trim().split('\n'))).toEqual(new Set(['ECONNREFUSED']));
  });

  it('listens on no port, because it is controlled through a pipe', async () => {
    const browsers = processes.filter(({ command }) => !command.includes('--type='));
    for (const { command } of browsers) {
      expect(command).toContain('--remote-debugging-pipe');
      expect(command).not.toContain('--remote-debugging-port');
    }
    for (const { pid } of processes) expect((await findSockets(pid, 'tcp')) ?? []).toEqual([]);
    // One of them is the browser of the page, which has not ended.
    const listening = await Promise.all(browsers.map(({ pid }) => findSockets(pid, 'tcp')));
    expect(listening.filter((sockets) => sockets !== undefined)).not.toEqual([]);
    // The worker does, with the egress proxy: that is how a port looks.
    const run = runFileOf({ dataDir });
    expect(await socketsOf(run.children.worker!.pid, 'tcp')).not.toEqual([]);
  });

  it('joins no multicast group and sends no datagram, even when a page asks for both', async () => {
    for (const { pid } of processes) {
      const sockets = (await findSockets(pid, 'udp')) ?? [];
      // WebRTC binds a port for each family whether it may use it or not; a page that could would have a
      // peer.
      expect(sockets.filter(({ local, remote }) => !/^0+:/.test(local) || !/^0+:0000$/.test(remote))).toEqual(
        [],
      );
    }
  });

  it('tells a page no IP address of this machine', async () => {
    await visit;
    // The end of the list is told by an empty one.
    expect(candidates.filter(Boolean)).toEqual([]);
    expect(candidates.length).toBeGreaterThan(0);
  });

  it.runIf(isRoot)('cannot read the data directory as its user', async () => {
    const uid = processes[0]!.status('Uid').split(/\s+/)[0]!;
    const find = (...rights: string[]) =>
      promisify(execFile)('setpriv', [...[...rights, 'find', dataDir, '-type', 'f', '-readable']]).then(
        ({ stdout }) => stdout.split('\n').filter(Boolean),
        ({ stdout }) => String(stdout).split('\n').filter(Boolean),
      );
    expect(await find(`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups')).toEqual([]);
    expect((await find('--clear-groups')).length).toBeGreaterThan(10);
  });

  it('refuses file URLs of the data directory', async () => {
    const { body } = await scrape({ url: `file://${dataDir}/api-key`, waitFor: 1 });
    expect(body).toMatchObject({ success: false, code: 'BAD_REQUEST' });
  });

  it('inherits no settings or secrets of the service', async () => {
    let checked = 0;
    for (const { pid } of processes.filter(({ command }) => !command.includes('--type='))) {
      // It may have ended, unless it is that of the page.
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => undefined);
      if (environment === undefined) continue;
      checked++;
      const names = environment.split('\0').map((line) => line.split('=')[0]);
      expect(names.filter((name) => /proxy|WINNOW|DATABASE|TEMPORAL|SECRET|KEY/i.test(name ?? ''))).toEqual(
        [],
      );
      expect(names).toContain('HOME');
    }
    expect(checked).toBeGreaterThan(0);
  });
});
