import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { ServiceError } from '../../src/errors.ts';
import {
  closeUnread,
  listen,
  onUpgrade,
  refuseHandshake,
  refuseUpgrade,
  type UpgradeHandler,
} from '../../src/system/server.ts';
import { pollUntil } from '../support/suite/poll.ts';

const HANDSHAKE = 'GET / HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

let server: Server;
let handle: UpgradeHandler;
let errors: unknown[];
beforeEach(async () => {
  errors = [];
  server = createServer();
  const onError = (error: unknown) => void errors.push(error);
  onUpgrade(server, (...request) => handle(...request), onError);
  await listen(server, { port: 0, host: '127.0.0.1' }, onError);
});
afterEach(() => {
  server.close();
});

// Listening on a TCP port, the address is never a path.
const portOf = (listening: Server) => (listening.address() as AddressInfo).port;

function openConnection() {
  const connection = connect({ port: portOf(server), host: '127.0.0.1', allowHalfOpen: true });
  connection
    .on('error', () => undefined)
    .resume()
    .write(HANDSHAKE);
  return connection;
}
const openConnections = () =>
  new Promise<number>((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );

describe('a server', () => {
  it('survives clients that reset their connection while it decides about their handshake', async () => {
    const asked = Promise.withResolvers<void>();
    const hasReset = Promise.withResolvers<void>();
    handle = async (_request, stream) => {
      asked.resolve();
      await hasReset.promise;
      refuseUpgrade(stream, new ServiceError('NOT_FOUND', 'There is nothing.'));
    };
    const connection = openConnection();
    await asked.promise;
    connection.resetAndDestroy();
    await once(connection, 'close');
    hasReset.resolve();
    await pollUntil(async () => (await openConnections()) === 0);
    expect(errors).toEqual([]);
  });

  it('reports what the handler of handshakes throws, and closes the connection', async () => {
    handle = () => {
      throw new Error('planted');
    };
    await once(openConnection(), 'end');
    expect(errors).toMatchObject([{ message: 'planted' }]);
  });

  it('tells a refused client why, and does not keep the connection of one that never closes it', async () => {
    handle = (_request, stream) => refuseUpgrade(stream, new ServiceError('SOCKET_LIMIT_REACHED', 'Why.'));
    const connection = openConnection();
    let text = '';
    connection.on('data', (chunk) => {
      text += chunk;
    });
    await once(connection, 'end');
    expect(text).toMatch(/^HTTP\/1.1 429 Too Many Requests\r\n.*Content-Type: application\/json\r\n/s);
    expect(JSON.parse(text.split('\r\n\r\n')[1]!)).toEqual({
      success: false,
      code: 'SOCKET_LIMIT_REACHED',
      error: 'Why.',
    });
    await pollUntil(async () => (await openConnections()) === 0);
    connection.destroy();
  });

  it.each([
    ['Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: nil\r\n', 'Sec-WebSocket-Key'],
    ['Sec-WebSocket-Version: 12\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n', 'Sec-WebSocket-Version'],
  ])('tells a client whose handshake has %j what is wrong, as other clients', async (headers, name) => {
    const sockets = new WebSocketServer({ noServer: true }).on('wsClientError', refuseHandshake);
    handle = (request, stream, head) => sockets.handleUpgrade(request, stream, head, () => undefined);
    const connection = connect({ port: portOf(server), host: '127.0.0.1' });
    connection.write(HANDSHAKE.replace(/\r\n$/, `${headers}\r\n`));
    const text = await readText(connection);
    expect(text).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(JSON.parse(text.split('\r\n\r\n')[1]!)).toEqual({
      success: false,
      code: 'BAD_REQUEST',
      error: expect.stringContaining(
        `The handshake of the WebSocket is wrong: Missing or invalid ${name} header.`,
      ),
    });
  });

  it('that meets an error after its start goes on', () => {
    server.emit('error', new Error('planted'));
    expect(errors).toMatchObject([{ message: 'planted' }]);
    expect(server.listening).toBe(true);
  });

  describe('that closes what nobody reads', () => {
    /** So short that the timeouts of a test are over soon, and so long that a busy machine reads a request in it. */
    const UNREAD_MS = 2_000;
    const LARGE = Buffer.alloc(64 * 1024 * 1024);

    it('disconnects a client that reads nothing more of its response', async () => {
      closeUnread(server, UNREAD_MS);
      const closed = Promise.withResolvers<void>();
      server.on('request', (_request, response) => {
        response.once('close', closed.resolve).end(LARGE);
      });
      const client = connect({ port: portOf(server), host: '127.0.0.1' });
      client.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: test\r\n\r\n');
      client.pause();
      await closed.promise;
      expect(await pollUntil(async () => (await openConnections()) === 0)).toBe(true);
      client.destroy();
    });

    it('lets a client wait for its response', async () => {
      closeUnread(server, UNREAD_MS);
      server.on('request', (_request, response) => {
        server.once('timeout', () => void response.end('late'));
      });
      const response = await fetch(`http://127.0.0.1:${portOf(server)}/`);
      expect(await response.text()).toBe('late');
    });

    it('lets a WebSocket be silent', async () => {
      closeUnread(server, UNREAD_MS);
      const upgraded = Promise.withResolvers<Duplex>();
      handle = (_request, stream) => upgraded.resolve(stream);
      const client = openConnection();
      const stream = await upgraded.promise;
      // The timeout of a later request would be over after that of the WebSocket.
      server.on('request', (_request, response) => {
        server.once('timeout', () => void response.end());
      });
      await fetch(`http://127.0.0.1:${portOf(server)}/`);
      expect(stream.destroyed).toBe(false);
      client.destroy();
    });
  });
});
