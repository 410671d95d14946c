import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { readRunFile } from '../../src/run/embedded/supervision/run-file.ts';
import { processesBelow } from '../../test/support/processes/process-list.ts';
import { askTemporal, exchange, isPostgresOpen } from './probes.ts';

/**
 * The main function of a program that root starts, that learns as root what the service has, and then tries as the
 * user `nobody` to reach it. Each attempt is a line of JSON. Arguments: the data directory, and the URL of a page.
 */

const NOBODY = 65_534;
const MAX_FILES = 500;
const [dataDir = '', page = ''] = process.argv.slice(2);

const tell = (success: string, hasHeld: boolean) => console.log(JSON.stringify({ success, hasHeld }));

const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => path.join(entry.parentPath, entry.name))
  .slice(0, MAX_FILES);
const secrets = ['api-key', 'secret-key', 'temporal-password', 'postgres-password'].flatMap((name) => {
  const file = files.find((each) => each === path.join(dataDir, name));
  return file === undefined ? [] : [readFileSync(file, 'utf8').trim()];
});
const { pid } = readRunFile(dataDir)!;
const pids = [pid, ...processesBelow([pid]).map((each) => each.pid)];
const ports = listeningPorts(pids);
const sockets = [...new Set(readFileSync('/proc/net/unix', 'utf8').match(/(?<= )\/\S+$/gm) ?? [])].filter(
  (file) => file.startsWith(dataDir) || file.includes('/winnow-'),
);

process.setgroups?.([]);
process.setgid?.(NOBODY);
process.setuid?.(NOBODY);

for (const file of [dataDir, ...files]) tell(`${file} was opened`, !mayOpen(file));
for (const each of pids) {
  for (const name of ['environ', 'mem', 'root/etc'])
    tell(`/proc/${each}/${name} was opened`, !mayOpen(`/proc/${each}/${name}`));
  const command = readOrEmpty(`/proc/${each}/cmdline`);
  tell(`the arguments of ${each} have a secret`, !secrets.some((secret) => command.includes(secret)));
}
for (const file of sockets)
  tell(`${file} accepted a connection`, (await exchange({ path: file }, '')) === undefined);
for (const port of ports) {
  const host = new URL(page).host;
  for (const request of [
    `GET ${page} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  ]) {
    const reply = (await exchange({ port, host: '127.0.0.1' }, request)) ?? '';
    tell(
      `port ${port} is a proxy for everybody`,
      !/^HTTP\/1\.\d 200/.test(reply) || !isOfPage(request, reply),
    );
  }
  tell(`port ${port} is a database for everybody`, !(await isPostgresOpen(port)));
  tell(`port ${port} is a Temporal for everybody`, (await askTemporal(port)) !== '0');
}
process.exit();

/** Whether a reply of a proxy leads to the page: a tunnel, or its content. */
function isOfPage(request: string, reply: string): boolean {
  return request.startsWith('CONNECT') || reply.includes('<main>');
}

/** The ports at which processes listen, in the network of this program. */
function listeningPorts(owners: number[]): number[] {
  const held = new Set(owners.flatMap(socketsOf));
  const lines = ['tcp', 'tcp6'].flatMap((name) => readOrEmpty(`/proc/net/${name}`).split('\n').slice(1));
  const listening = lines.map((line) => line.trim().split(/\s+/)).filter(([, , , state]) => state === '0A');
  return listening
    .filter((fields) => held.has(`socket:[${fields[9]}]`))
    .map(([, local = '']) => Number.parseInt(local.split(':')[1] ?? '', 16));
}

/** The sockets that a process has, as `/proc` names them. */
function socketsOf(owner: number): string[] {
  try {
    return readdirSync(`/proc/${owner}/fd`).map((name) => readlinkSync(`/proc/${owner}/fd/${name}`));
  } catch {
    return []; // Ended, or closed one, since they were listed.
  }
}

function mayOpen(file: string): boolean {
  try {
    closeSync(openSync(file, 'r'));
    return true;
  } catch {
    return false; // Whatever the reason is, the user has not reached it.
  }
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // The user may not read it, or its process has ended.
  }
}
