import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { SocketRelays } from '../../src/api/sessions/socket-relays.ts';

/** An API that passes on WebSockets to a host, of which the test has the connection of the one client. */

let relays: SocketRelays;
let host: { socket: WebSocket; connection: Socket };
let client: WebSocket;
let sockets: WebSocketServer;
let api: ReturnType<typeof createServer>;
let closed: Promise<{ code: number; reason: string }>;
const stops: (() => void)[] = [];

const HANDSHAKE =
  'GET /messages-only HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';

async function nextConnection(): Promise<typeof host> {
  const [socket, { socket: connection }] = await once(sockets, 'connection');
  return { socket, connection };
}

beforeEach(async () => {
  relays = new SocketRelays();
  const hostServer = createServer().listen(0, '127.0.0.1');
  sockets = new WebSocketServer({ server: hostServer });
  const connected = nextConnection();
  await once(hostServer, 'listening');
  api = createServer().listen(0, '127.0.0.1');
  api.on('upgrade', (incoming, socket) => {
    const upgrade = request({ host: '127.0.0.1', port: portOf(hostServer), headers: incoming.headers }).end();
    upgrade.on('upgrade', ({ rawHeaders }, toHost, firstBytes) => {
      const lines = rawHeaders.flatMap((name, at) => (at % 2 ? [] : [`${name}: ${rawHeaders[at + 1]}`]));
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
      // The path of a client that reads no frame that closes a connection.
      const readsCloseFrames = incoming.url !== '/messages-only';
      relays.join(socket, toHost, { firstBytes, readsCloseFrames });
    });
  });
  await once(api, 'listening');
  client = new WebSocket(`ws://127.0.0.1:${portOf(api)}`);
  client.on('error', () => undefined);
  closed = once(client, 'close').then(([code, reason]) => ({ code, reason: String(reason) }));
  await once(client, 'open');
  host = await connected;
  stops.push(() => {
    client.terminate();
    for (const server of [api, hostServer]) server.close();
  });
});
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

// Servers that listen on a TCP port have no path as their address.
const portOf = (server: ReturnType<typeof createServer>) => (server.address() as AddressInfo).port;

it('a client reads what its host sent, and the code and reason with which it closed', async () => {
  const received: string[] = [];
  client.on('message', (data) => received.push(String(data)));
  host.socket.send('one');
  host.socket.send('x'.repeat(100_000));
  host.socket.close(4410, 'deleted');
  expect(await closed).toEqual({ code: 4410, reason: 'deleted' });
  expect(received).toEqual(['one', 'x'.repeat(100_000)]);
});

it.each([
  ['ends', (connection: Socket) => connection.end()],
  ['is reset', (connection: Socket) => connection.resetAndDestroy()],
])('a client is told that its session is lost when the connection of the host %s', async (_how, die) => {
  host.socket.send('one');
  await once(client, 'message');
  die(host.connection);
  expect(await closed).toEqual({ code: 4500, reason: expect.stringMatching(/^lost: .*connect again\.$/) });
});

it('a client whose host dies in the middle of a message is disconnected without a reason', async () => {
  // A text of 100 bytes, of which only three arrive.
  host.connection.write(Buffer.from([0x81, 100, 97, 98, 99]));
  host.connection.end();
  expect(await closed).toEqual({ code: 1006, reason: '' });
});

it('a client is told to connect again when the API stops, and nothing after that', async () => {
  relays.close();
  expect(await closed).toEqual({ code: 1001, reason: 'The API is stopping. Connect again.' });
});

describe('a client that takes the frame which closes a connection for a message is disconnected without it', () => {
  it.each([
    ['when its session ends', () => host.socket.close(4410, 'deleted')],
    ['when its host dies', () => host.connection.end()],
    ['when the API stops', () => relays.close()],
  ])('%s', async (_when, end) => {
    const connected = nextConnection();
    const connection = connect(portOf(api), '127.0.0.1');
    connection.write(HANDSHAKE);
    host = await connected;
    host.socket.send('one');
    host.socket.send('the last one');
    let received = '';
    connection.setEncoding('latin1');
    for await (const chunk of connection) {
      received += chunk;
      if (received.endsWith('the last one')) end();
    }
    expect(received.split('\r\n\r\n')[1]).toBe('\x81\x03one\x81\x0cthe last one');
  });
});

it('the host learns that the client is gone', async () => {
  const left = once(host.socket, 'close');
  client.terminate();
  expect((await left)[0]).toBe(1006);
});
