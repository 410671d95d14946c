import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { MAX_CLIENTS } from '../../src/sessions/protocol/protocol-clients.ts';
import { type ProtocolSocket, serveProtocolSocket } from '../../src/sessions/protocol/protocol-socket.ts';
import { PROTOCOL_SOCKET } from '../../src/sessions/session-directory.ts';
import { freeDescriptors } from '../../src/system/descriptors.ts';
import { createLogger } from '../../src/system/logger.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** What hostile code may take of its host by the socket of the DevTools protocol. */

let directory: string;
let server: ProtocolSocket;
let clients: WebSocket[];
const connections: Socket[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'winnow-protocol-'));
  clients = [];
  server = await serveProtocolSocket(directory, {
    hasRoom: () => clients.length < MAX_CLIENTS,
    onClient: (socket) => {
      clients.push(socket);
    },
    logger: createLogger('test', 'error'),
  });
});
afterEach(async () => {
  for (const connection of connections.splice(0)) connection.destroy();
  server.close();
  await rm(directory, { recursive: true });
});

/** Opens a connection, and keeps it open as long as the host does. */
function openConnection(): Socket {
  const connection = connect(join(directory, PROTOCOL_SOCKET));
  connection.on('error', () => undefined).resume();
  connections.push(connection);
  return connection;
}
const open = () => connections.filter(({ closed }) => !closed);
const connectClient = () => new WebSocket(`ws+unix:${join(directory, PROTOCOL_SOCKET)}:/`);

describe('code that opens many connections to its protocol socket', () => {
  it.each([
    ['says nothing', ''],
    ['begins a handshake', 'GET / HTTP/1.1\r\nHost: browser\r\n'],
    ['asks for a page', 'GET / HTTP/1.1\r\nHost: browser\r\n\r\n'],
  ])('and %s gets few of them', async (_what, text) => {
    const before = freeDescriptors();
    for (let count = 0; count < 500; count++) openConnection().write(text);
    await pollUntil(() => open().length <= MAX_CLIENTS + 8);
    // Both ends are in this process.
    expect(before - freeDescriptors()).toBeLessThanOrEqual(2 * (MAX_CLIENTS + 8) + 10);
  });

  it('loses those without a handshake, and others are served', async () => {
    for (let count = 0; count < 200; count++) openConnection().write('GET / HTTP/1.1\r\n');
    await pollUntil(() => open().length === 0);
    const client = connectClient();
    await once(client, 'open');
    client.terminate();
  });

  it('is refused when the session has all clients that it may have, and its connection ends', async () => {
    const sockets = Array.from({ length: MAX_CLIENTS }, connectClient);
    await Promise.all(sockets.map((socket) => once(socket, 'open')));
    const [error] = await once(connectClient(), 'error');
    expect(String(error)).toContain('429');
    const connection = openConnection();
    connection.write(
      'GET / HTTP/1.1\r\nHost: browser\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    await once(connection, 'close');
    for (const socket of sockets) socket.terminate();
  });

  it('and sends large headers is closed', async () => {
    const connection = openConnection();
    connection.write(`GET / HTTP/1.1\r\nX: ${'x'.repeat(9_000)}\r\n`);
    await once(connection, 'close');
    expect(clients).toHaveLength(0);
  });
});
