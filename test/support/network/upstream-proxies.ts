import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { SELF_SIGNED, tlsOptions } from './tls.ts';

/** A proxy as an operator has one, on loopback. */
export interface TestProxy {
  /** As it is written into settings, with user name and password. */
  url: string;
  /** The targets of its CONNECT requests in order, as they were written: `host:port`. */
  targets: string[];
  /** Connections of those that logged in with something else. */
  strangers: number;
  close(): Promise<void>;
}

/** How it behaves. */
export interface TestProxyOptions {
  /** Where every tunnel leads in truth: the internet of the test. Absent: where it was asked for. */
  port?: number;
  /** Answers every request for a tunnel with this: a status of HTTP, a reply of SOCKS. */
  refusal?: number;
  /** TLS between client and proxy, by the self-signed certificate for localhost. */
  secure?: boolean;
}

const USER = 'me@home';
const PASSWORD = 'p:ä/1';
const CREDENTIALS = `${encodeURIComponent(USER)}:${encodeURIComponent(PASSWORD)}`;

function follow(client: Duplex, site: Socket): void {
  client.on('error', () => site.destroy()).on('close', () => site.destroy());
  site.on('error', () => client.destroy()).on('close', () => client.destroy());
  client.pipe(site).pipe(client);
}

async function serve(server: Server, scheme: string, state: { targets: string[]; strangers: number }) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server's address is never a path.
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `${scheme}://${CREDENTIALS}@localhost:${port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  });
}

/** Starts an HTTP proxy that grants tunnels only. */
export async function startHttpProxy({ port, refusal, secure }: TestProxyOptions = {}): Promise<TestProxy> {
  const state = { targets: [] as string[], strangers: 0 };
  const server = secure ? createHttpsServer(tlsOptions(SELF_SIGNED)) : createHttpServer();
  const expected = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
  server.on('connect', ({ url = '', headers }, client: Duplex) => {
    client.on('error', () => undefined);
    const answer = (status: number) => client.write(`HTTP/1.1 ${status} Test\r\n\r\n`);
    if (headers['proxy-authorization'] !== expected) {
      state.strangers++;
      answer(407);
      return client.end();
    }
    state.targets.push(url);
    if (refusal) {
      answer(refusal);
      return client.end();
    }
    const target = new URL(`connect://${url}`);
    const site = connect(port ?? Number(target.port), '127.0.0.1', () => {
      answer(200);
      follow(client, site);
    });
    site.on('error', () => client.destroy());
  });
  return serve(server, secure ? 'https' : 'http', state);
}

/** Starts a SOCKS5 proxy (RFC 1928, 1929). */
export async function startSocksProxy({ port, refusal }: TestProxyOptions = {}): Promise<TestProxy> {
  const state = { targets: [] as string[], strangers: 0 };
  const server = createServer(async (client) => {
    const next = async () => (await once(client, 'data'))[0] as Buffer;
    const greeting = await next();
    if (!greeting.subarray(2).includes(2)) {
      state.strangers++;
      return client.end(Buffer.of(5, 255));
    }
    client.write(Buffer.of(5, 2));
    const login = await next();
    const [user, password] = [login.subarray(2, 2 + login[1]!), login.subarray(3 + login[1]!)];
    const isKnown = String(user) === USER && String(password) === PASSWORD;
    client.write(Buffer.of(1, isKnown ? 0 : 1));
    if (!isKnown) {
      state.strangers++;
      return client.end();
    }
    const order = await next();
    const type = order[3];
    const to = order.readUInt16BE(order.length - 2);
    const bytes = order.subarray(4, -2);
    const groups = bytes.toString('hex').match(/.{4}/g) ?? [];
    state.targets.push(`${type === 1 ? [...bytes].join('.') : `[${groups.join(':')}]`}:${to}`);
    const answer = (reply: number) => client.write(Buffer.of(5, reply, 0, 3, 4, 97, 98, 99, 100, 0, 80));
    if (refusal) {
      answer(refusal);
      return client.end();
    }
    const site = connect(port ?? to, '127.0.0.1', () => {
      answer(0);
      follow(client, site);
    });
    site.on('error', () => client.destroy());
  });
  return serve(server, 'socks5', state);
}
