import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { choosePort, isPortFree, portHolder } from '../../src/embedded/ports.ts';

let server: Server | undefined;
afterEach(() => server?.close());

async function takenPort(): Promise<number> {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

test('a free port is taken as asked, a taken one is replaced by a free one', async () => {
  const port = await takenPort();
  expect(await isPortFree(port, '127.0.0.1')).toBe(false);
  const other = await choosePort(port);
  expect(other).not.toBe(port);
  expect(await isPortFree(other, '127.0.0.1')).toBe(true);
  expect(await choosePort(other)).toBe(other);
});

test.runIf(process.platform === 'linux')('the holder of a port is named', async () => {
  const port = await takenPort();
  expect(portHolder(port)).toContain(`(process ${process.pid})`);
  server?.close();
  await expect.poll(() => portHolder(port)).toBeUndefined();
});
