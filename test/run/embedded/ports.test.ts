import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { findPortOwner, isPortFree, reservePort } from '../../../src/run/embedded/ports.ts';
import { reserveServerPort } from '../../support/network/server-port.ts';

let server: Server | undefined;
afterEach(() => server?.close());

async function takePort(port: number): Promise<void> {
  server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
}

test('a preferred port that is taken is replaced by the next one, not by one that the system gives to connections', async () => {
  const { port, release } = await reserveServerPort();
  await takePort(port);
  release();
  expect(await isPortFree(port, '127.0.0.1')).toBe(false);
  const other = await reservePort(port);
  expect(other.port).toBeGreaterThan(port);
  expect(other.port).toBeLessThan(port + 1000);
  expect(await isPortFree(other.port, '127.0.0.1')).toBe(true);
  other.release();
});

test('a reserved port is not given to others while nothing listens on it', async () => {
  const held = await reserveServerPort();
  expect(await isPortFree(held.port, '127.0.0.1')).toBe(true);
  const other = await reservePort(held.port);
  expect(other.port).toBeGreaterThan(held.port);
  held.release();
  other.release();
  const again = await reservePort(held.port);
  expect(again.port).toBe(held.port);
  again.release();
});

test.runIf(process.platform === 'linux')('the process that listens on a port is named', async () => {
  const { port, release } = await reserveServerPort();
  await takePort(port);
  release();
  expect(findPortOwner(port)).toContain(`(process ${process.pid})`);
  server?.close();
  await expect.poll(() => findPortOwner(port)).toBeUndefined();
});
