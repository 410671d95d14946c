import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import type { ProcessId } from '../../../src/run/embedded/supervision/process-identity.ts';
import { SupervisedProcess } from '../../../src/run/embedded/supervision/supervised-process.ts';
import { isNamespaceReady } from '../../../src/run/embedded/temporal/namespace-probe.ts';
import { findTemporalBinary } from '../../../src/run/embedded/temporal/temporal-binary.ts';
import { planTemporalServer } from '../../../src/run/embedded/temporal/temporal-server.ts';
import { SEARCH_ATTRIBUTES } from '../../../src/workflows/search-attributes.ts';
import { reserveServerPort } from '../../support/network/server-port.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'winnow-temporal-'));
let binary: string;
let part: SupervisedProcess;
let current: ProcessId | undefined;
let port: number;
const notices: string[] = [];

beforeAll(async () => {
  const engine = await findTemporalBinary(readConfig().cacheDir);
  if (!engine)
    throw new Error('The Temporal server is not installed. `node bin/winnow.js setup` installs it.');
  binary = engine.path;
});
afterEach(() => part.stop());
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

async function start(): Promise<void> {
  port = (await reserveServerPort()).port;
  const uiPort = (await reserveServerPort()).port;
  part = new SupervisedProcess(planTemporalServer({ binary, dataDir, namespace: 'default', port, uiPort }), {
    onProcess: (child) => {
      current = child;
    },
    onNotice: (text) => notices.push(text),
  });
  await part.start();
}

async function statusOf(workflowId: string): Promise<string> {
  const connection = await Connection.connect({ address: `127.0.0.1:${port}` });
  try {
    return (await new Client({ connection }).workflow.getHandle(workflowId).describe()).status.name;
  } finally {
    await connection.close();
  }
}

test('a new Temporal server knows the search attributes of jobs, and an unfinished workflow survives its stop and its kill', async () => {
  await start();
  const connection = await Connection.connect({ address: `127.0.0.1:${port}` });
  await new Client({ connection }).workflow.start('unknown', {
    workflowId: 'kept',
    taskQueue: 'nobody',
    typedSearchAttributes: SEARCH_ATTRIBUTES.map((key) => ({ key, value: 'any' })),
  });
  await connection.close();

  await part.stop();
  expect(await isNamespaceReady({ port }, 'default')).toBe(false);
  await start();
  expect(await statusOf('kept')).toBe('RUNNING');

  const killed = current?.pid ?? 0;
  process.kill(killed, 'SIGKILL');
  await expect
    .poll(() => isNamespaceReady({ port }, 'default'))
    .toBe(true)
    .catch((cause) => {
      throw new Error(`The server is not ready: ${notices.join(' ')}`, { cause });
    });
  expect(current?.pid).not.toBe(killed);
  expect(await statusOf('kept')).toBe('RUNNING');
});

test.runIf(existsSync('/proc/self/environ')).each([
  ['half of the processors', undefined, String(Math.max(1, Math.floor(availableParallelism() / 2)))],
  ['as many processors as the environment says', '3', '3'],
])('a Temporal server uses %s', async (_, setting, processors) => {
  vi.stubEnv('GOMAXPROCS', setting);
  onTestFinished(() => void vi.unstubAllEnvs());
  await start();
  const environment = readFileSync(`/proc/${current?.pid}/environ`, 'utf8').split('\0');
  expect(environment).toEqual(expect.arrayContaining([`GOMAXPROCS=${processors}`, 'GOMEMLIMIT=256MiB']));
});

test('a server that ends the connection instead of responding is not ready', async () => {
  const server = createServer((socket) => socket.once('data', () => socket.end())).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  // A TCP server's address is never a path.
  expect(await isNamespaceReady({ port: (server.address() as AddressInfo).port }, 'default')).toBe(false);
});

test('only an existing namespace is reported as ready', async () => {
  await start();
  expect(await isNamespaceReady({ port }, 'default')).toBe(true);
  expect(await isNamespaceReady({ port }, 'elsewhere')).toBe(false);
});
