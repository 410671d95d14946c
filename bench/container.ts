import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { listenOnNewPort } from '../test/support/network/listen.ts';
import { count, type Option, readCommandLine, refuse } from './command-line.ts';
import { parseDockerfile, stagesOf } from './container/dockerfile.ts';
import { Root } from './container/root.ts';
import { short, table } from './figures.ts';

const HELP = `Builds the stage of the Dockerfile that has everything in one container, without Docker: carries out its steps in a root file
system, starts its command there as its user, waits for its health check, and scrapes. Prints the seconds of each step. Takes some
minutes, as root on Linux.

The base is made by \`debootstrap --variant=minbase bookworm DIR\`; Node and npm of this checkout are added to a copy.

Usage: node bench/container.ts --base DIR [OPTIONS]

  --base DIR    root file system of Debian in place of the image of Node
  --port N      port of the service (3002)
  --with PATH   file or directory of this machine that the root gets, too, such as certificates; may be repeated
  --pass NAME   environment variable of this machine that the steps get; may be repeated
  --help        print this text
`;
const TARGET = 'everything';
const ROOT = join(import.meta.dirname, '..');
const run = promisify(execFile);

const text: Option<string | undefined> = {
  type: 'string',
  // Node gives the text of an option that is there once.
  read: (given) => given as string | undefined,
};
const texts: Option<string[]> = {
  type: 'string',
  multiple: true,
  // Node gives the texts of an option that may be repeated.
  read: (given) => (given as string[] | undefined) ?? [],
};
const options = readCommandLine(HELP, { base: text, port: count(3002), with: texts, pass: texts });
if (!options.base) refuse('--base is missing');

const rows: { step: string; s: string }[] = [];
async function measure<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const before = performance.now();
  const result = await work();
  const s = short((performance.now() - before) / 1000);
  rows.push({ step: name, s });
  console.log(`${name}: ${s} s`);
  return result;
}

/** Makes of a bare Debian what the image of Node is. */
async function prepareBase(base: string, path: string): Promise<void> {
  await run('cp', ['-a', '--reflink=auto', base, path]);
  await cp(process.execPath, join(path, 'usr/local/bin/node'), { dereference: true });
  const prefix = join(path, 'usr/local');
  await run('npm', ['install', '-g', '--prefix', prefix, '--no-audit', '--no-fund', 'npm@11']);
  await run('chroot', [path, 'useradd', '-m', '-u', '1000', 'node']);
  for (const name of ['/etc/resolv.conf', '/etc/hosts', ...options.with]) {
    const target = join(path, resolve(name));
    await mkdir(dirname(target), { recursive: true });
    await run('cp', ['-aL', name, dirname(target)]);
  }
}

async function waitUntilHealthy(
  root: Root,
  settings: Record<string, string>,
  ended: AbortSignal,
): Promise<void> {
  while (!(await root.isHealthy(settings))) {
    if (ended.aborted) throw new Error('The command of the image has ended.');
    await sleep(1000);
  }
}

async function scrape(key: string, url: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${options.port}/v2/scrape`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url, formats: ['markdown', 'screenshot'] }),
  });
  const body = await response.text();
  if (!response.ok || !body.includes('One paragraph')) throw new Error(`The scrape has failed: ${body}`);
}

const work = await mkdtemp(join(tmpdir(), 'winnow-container-'));
const site = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end('<title>A page</title><main><p>One paragraph of a page that is scraped.</p></main>');
});
try {
  const sitePort = await listenOnNewPort(site);
  const path = join(work, 'root');
  await measure('base', () => prepareBase(resolve(options.base ?? ''), path));
  const passed = Object.fromEntries(options.pass.map((name) => [name, process.env[name] ?? '']));
  const root = new Root(path, ROOT, passed);
  const stages = stagesOf(parseDockerfile(await readFile(join(ROOT, 'Dockerfile'), 'utf8')), TARGET);
  for (const step of stages.flatMap(({ steps }) => steps))
    await measure(`${step.instruction} ${step.text.slice(0, 60)}`, () => root.apply(step));
  const key = `fc-${createHash('sha256').update(work).digest('hex').slice(0, 32)}`;
  const settings = { PORT: String(options.port), WINNOW_API_KEY: key, WINNOW_ALLOW_PRIVATE: '127.0.0.0/8' };
  const service = root.start(settings);
  const ended = new AbortController();
  service.once('close', () => ended.abort());
  await measure('start to healthy', () => waitUntilHealthy(root, settings, ended.signal));
  await measure('first scrape', () => scrape(key, `http://127.0.0.1:${sitePort}/`));
  const { stdout } = await run('du', ['-sm', path, ...root.volumes.map((volume) => join(path, volume))]);
  console.log(`megabytes of the root and its volumes:\n${stdout}`);
  service.kill('SIGKILL');
  if (!ended.signal.aborted) await once(service, 'close');
  console.log(table(rows));
} finally {
  site.close();
  await rm(work, { recursive: true, force: true });
}
