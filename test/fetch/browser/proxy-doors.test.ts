import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { connectionLimits, openDoors } from '../../../src/fetch/browser/chromium/proxy-doors.ts';
import { listen } from '../../../src/system/server.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/** The connections of a browser to its proxies. */

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

describe('the connections of a browser to its proxies', () => {
  it('suffice for all contexts, as far as half of the free file descriptors do', () => {
    expect(connectionLimits(12, Number.POSITIVE_INFINITY)).toEqual({ total: 12 * 128, ofContext: 128 });
    expect(connectionLimits(12, 2_000)).toEqual({ total: 12 * 41, ofContext: 41 });
    expect(connectionLimits(12, 0)).toEqual({ total: 12 * 16, ofContext: 16 });
  });

  it('are closed beyond the maximum of a context, and of all together', async () => {
    // What is passed is the child of a browser, of which only the messages matter.
    const child = new EventEmitter() as unknown as ChildProcess;
    const served: Socket[] = [];
    const doors = openDoors(child, [{ port: 1, serve: (socket) => served.push(socket) }], {
      total: 3,
      ofContext: 2,
    });
    const server = createServer();
    await listen(server, { port: 0, host: '0.0.0.0' }, () => undefined);
    child.emit('message', 1, server);
    await doors.opened;
    // A server that listens on TCP has an address with a port.
    const { port } = server.address() as { port: number };
    const open = async (host: string) => {
      const socket = connect(port, host);
      sockets.push(socket.on('error', () => undefined).resume());
      await once(socket, 'connect');
      return socket;
    };
    await open('127.1.0.1');
    await open('127.1.0.1');
    await once(await open('127.1.0.1'), 'close');
    expect(served).toHaveLength(2);
    await open('127.1.0.2');
    await pollUntil(() => served.length === 3);
    await once(await open('127.1.0.3'), 'close');
    expect(served).toHaveLength(3);
    doors.close();
  });

  it('that miss a file descriptor are another failure than a missing network', async () => {
    const child = new EventEmitter() as unknown as ChildProcess;
    const doors = openDoors(child, [{ port: 1, serve: () => undefined }], { total: 2, ofContext: 2 });
    child.emit('message', 1, undefined);
    await expect(doors.opened).rejects.toThrow('no file descriptor left');
  });
});
