import { once } from 'node:events';
import { mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { SupervisedProcess } from '../../../src/run/embedded/supervision/supervised-process.ts';
import { isNamespaceReady } from '../../../src/run/embedded/temporal/namespace-probe.ts';
import { canHaveOwnNetwork } from '../../../src/run/embedded/temporal/own-network.ts';
import { findTemporalBinary } from '../../../src/run/embedded/temporal/temporal-binary.ts';
import { planTemporalServer, temporalAddress } from '../../../src/run/embedded/temporal/temporal-server.ts';
import { connectTemporal, pingTemporal } from '../../../src/temporal/connection.ts';
import { reserveServerPort } from '../../support/network/server-port.ts';
import { processesBelow } from '../../support/processes/process-list.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/** Programs of other users of the machine that want to reach the Temporal server. */

const hasNetwork = await canHaveOwnNetwork();
const password = 'password-of-this-test';
const dataDir = mkdtempSync(join(tmpdir(), 'winnow-temporal-door-'));
let part: SupervisedProcess;
let current: number | undefined;
let [port, uiPort] = [0, 0];

const basic = (userinfo: string) => `Basic ${Buffer.from(userinfo).toString('base64')}`;
const WRONG = [
  undefined,
  basic(`winnow:`),
  basic('winnow:guessed'),
  basic(`other:${password}`),
  'Basic',
  `Bearer ${password}`,
];

async function statusOfTunnel(authorization: string | undefined): Promise<number> {
  const headers = authorization === undefined ? {} : { 'Proxy-Authorization': authorization };
  const path = `127.0.0.1:${port}`;
  const asking = request({ host: '127.0.0.1', port, method: 'CONNECT', path, headers, agent: false });
  asking.end();
  const [response, socket] = await once(asking, 'connect');
  socket.destroy();
  return response.statusCode;
}

describe.runIf(hasNetwork)('the embedded Temporal server in a network of its own', () => {
  beforeAll(async () => {
    const engine = await findTemporalBinary(readConfig().cacheDir);
    if (!engine)
      throw new Error('The Temporal server is not installed. `node bin/winnow.js setup` installs it.');
    port = (await reserveServerPort()).port;
    uiPort = (await reserveServerPort()).port;
    const plan = planTemporalServer({
      binary: engine.path,
      dataDir,
      namespace: 'default',
      port,
      uiPort,
      password,
    });
    part = new SupervisedProcess(plan, {
      onProcess: (child) => {
        current = child?.pid;
      },
      onNotice: () => undefined,
    });
    await part.start();
  });
  afterAll(async () => {
    await part.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('serves whoever knows the password', async () => {
    expect(await isNamespaceReady({ port, password }, 'default')).toBe(true);
    expect(await isNamespaceReady({ port, password }, 'elsewhere')).toBe(false);
    const connection = await connectTemporal(temporalAddress({ port, password }));
    await pingTemporal(connection);
    await connection.close();
  });

  it('is not reached by a client that knows nothing of the password', async () => {
    const address = `127.0.0.1:${port}`;
    await expect(Connection.connect({ address, connectTimeout: 2_000 })).rejects.toThrow();
    await expect(connectTemporal(address)).rejects.toThrow();
    expect(await isNamespaceReady({ port }, 'default')).toBe(false);
  });

  it.each(WRONG)('refuses a tunnel with %j', async (authorization) => {
    expect(await statusOfTunnel(authorization)).toBe(407);
    expect(await isNamespaceReady({ port, password: 'guessed' }, 'default')).toBe(false);
  });

  it('asks for the password before it shows its web interface', async () => {
    const status = async (authorization?: string) => {
      const init = authorization === undefined ? {} : { headers: { Authorization: authorization } };
      return (await fetch(`http://127.0.0.1:${uiPort}/`, init)).status;
    };
    for (const authorization of WRONG) expect(await status(authorization), authorization).toBe(401);
    expect(await status(basic(`winnow:${password}`))).toBe(200);
  });

  it('listens on no other port of the machine', async () => {
    expect(readlinkSync(`/proc/${current}/ns/net`)).not.toBe(readlinkSync('/proc/self/ns/net'));
    // Its parts talk to each other over ports that the system picks, which are as open as the first one.
    const inside = readFileSync(`/proc/${current}/net/tcp`, 'utf8').split('\n').slice(1);
    const ports = inside
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state]) => state === '0A')
      .map(([, local = '']) => Number.parseInt(local.split(':')[1] ?? '', 16))
      .filter((each) => each !== port && each !== uiPort);
    expect(ports.length).toBeGreaterThan(2);
    const refusals = ports.map(async (each) => {
      const [error] = await once(connect(each, '127.0.0.1'), 'error').catch((reason) => [reason]);
      return error.code;
    });
    expect(new Set(await Promise.all(refusals))).toEqual(new Set(['ECONNREFUSED']));
  });

  it('starts again when the program at its door has died', async () => {
    const first = current!;
    const door = processesBelow([first]).find(({ command }) => /^\S*node \S*door\.js/.test(command))!;
    process.kill(door.pid, 'SIGKILL');
    await pollUntil(() => current !== undefined && current !== first);
    await pollUntil(() => isNamespaceReady({ port, password }, 'default'));
  });
});
