import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { maxConnectionsOf, openDoors } from '../../../src/fetch/browser/chromium/proxy-doors.ts';
import { listen } from '../../../src/system/server.ts';

/** The connections of a browser to its proxies. */

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

describe('the connections of a browser to its proxies', () => {
  it('suffice for all contexts, as far as half of the free file descriptors do', () => {
    expect(maxConnectionsOf(12, Number.POSITIVE_INFINITY)).toBe(12 * 64);
    expect(maxConnectionsOf(12, 2_000)).toBe(500);
    expect(maxConnectionsOf(12, 0)).toBe(64);
  });

  it('are closed beyond the maximum of all proxies together', async () => {
    // What is passed is the child of a browser, of which only the messages matter.
    const child = new EventEmitter() as unknown as ChildProcess;
    const served: Socket[] = [];
    const doors = openDoors(child, [{ port: 1, serve: (socket) => served.push(socket) }], 2);
    const server = createServer();
    await listen(server, { port: 0, host: '127.0.0.1' }, () => undefined);
    child.emit('message', 1, server);
    await doors.opened;
    // A server that listens on TCP has an address with a port.
    const { port } = server.address() as { port: number };
    const open = async () => {
      const socket = connect(port, '127.0.0.1');
      sockets.push(socket.on('error', () => undefined).resume());
      await once(socket, 'connect');
      return socket;
    };
    await open();
    await open();
    await once(await open(), 'close');
    expect(served).toHaveLength(2);
    doors.close();
  });

  it('that miss a file descriptor are another failure than a missing network', async () => {
    const child = new EventEmitter() as unknown as ChildProcess;
    const doors = openDoors(child, [{ port: 1, serve: () => undefined }], 2);
    child.emit('message', 1, undefined);
    await expect(doors.opened).rejects.toThrow('no file descriptor left');
  });
});
