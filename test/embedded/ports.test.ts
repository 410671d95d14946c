import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { findPortOwner, isPortFree, reservePort } from '../../src/embedded/ports.ts';
import { reserveServerPort } from '../support/server-port.ts';

let server: Server | undefined;
afterEach(() => server?.close());

async function takenPort(): Promise<number> {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

test('a preferred port that is taken is replaced by a free one', async () => {
  const port = await takenPort();
  expect(await isPortFree(port, '127.0.0.1')).toBe(false);
  const other = await reservePort(port);
  expect(other.port).not.toBe(port);
  expect(await isPortFree(other.port, '127.0.0.1')).toBe(true);
  other.release();
});

test('a reserved port is not given to others while nothing listens on it', async () => {
  const held = await reserveServerPort();
  expect(await isPortFree(held.port, '127.0.0.1')).toBe(true);
  const other = await reservePort(held.port);
  expect(other.port).not.toBe(held.port);
  held.release();
  other.release();
  const again = await reservePort(held.port);
  expect(again.port).toBe(held.port);
  again.release();
});

test.runIf(process.platform === 'linux')('the process that listens on a port is named', async () => {
  const port = await takenPort();
  expect(findPortOwner(port)).toContain(`(process ${process.pid})`);
  server?.close();
  await expect.poll(() => findPortOwner(port)).toBeUndefined();
});
