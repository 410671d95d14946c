import { once } from 'node:events';
import { request } from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import ipaddr from 'ipaddr.js';
import type { ResolvedAddress } from './resolver.ts';

/** A proxy of the operator's, taken from its address. */
export interface ProxyServer {
  protocol: 'http:' | 'https:' | 'socks5:';
  hostname: string;
  port: number;
  /** Both empty where the proxy asks for none. */
  username: string;
  password: string;
}

/** Why there is no tunnel. */
export class TunnelError extends Error {
  override readonly name = 'TunnelError';
  /** The proxy itself does not work, whatever it is asked for; else it says that it cannot get to the target. */
  readonly ofProxy: boolean;

  constructor(message: string, ofProxy: boolean, cause?: unknown) {
    super(message, { cause });
    this.ofProxy = ofProxy;
  }
}

/** To be connected to a proxy, TLS included. */
const CONNECT_TIMEOUT_MS = 5_000;
/** To be connected through it: it has a connection of its own to make. */
const REPLY_TIMEOUT_MS = 10_000;

const SOCKS_VERSION = 5;
const SOCKS_NO_AUTHENTICATION = 0;
const SOCKS_PASSWORD = 2;
const SOCKS_CONNECT = 1;
/** Of an address in a SOCKS message: its type, and its length in bytes. */
const SOCKS_IPV4 = [1, 4] as const;
const SOCKS_NAME = 3;
const SOCKS_IPV6 = [4, 16] as const;

/**
 * Opens a connection to an address through a proxy. The proxy is given the address, never the name: what was checked
 * is what it connects to, whatever DNS tells it.
 * @throws TunnelError
 */
export async function openTunnel(proxy: ProxyServer, to: ResolvedAddress, port: number): Promise<Socket> {
  const socket = await enter(proxy);
  const patience = setTimeout(
    () => socket.destroy(new Error(`no reply in ${REPLY_TIMEOUT_MS} ms`)),
    REPLY_TIMEOUT_MS,
  );
  try {
    await (proxy.protocol === 'socks5:' ? askSocks : askHttp)(socket, proxy, { ...to, port });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error instanceof TunnelError ? error : new TunnelError('it broke off', true, error);
  } finally {
    clearTimeout(patience);
  }
}

async function enter({ protocol, hostname, port }: ProxyServer): Promise<Socket> {
  const secure = protocol === 'https:';
  const socket: Socket = secure
    ? connectTls({ host: hostname, port, servername: hostname, ALPNProtocols: ['http/1.1'] })
    : connectTcp({ host: hostname, port });
  socket.setNoDelay(true);
  try {
    await once(socket, secure ? 'secureConnect' : 'connect', {
      signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS),
    });
    return socket;
  } catch (error) {
    socket.on('error', () => undefined);
    socket.destroy();
    throw new TunnelError('it cannot be reached', true, error);
  }
}

interface Target extends ResolvedAddress {
  port: number;
}

/** RFC 9110 9.3.6, for plain requests too: a proxy that forwarded them would look their names up itself. */
async function askHttp(socket: Socket, proxy: ProxyServer, { address, family, port }: Target): Promise<void> {
  const path = `${family === 6 ? `[${address}]` : address}:${port}`;
  const credentials = Buffer.from(`${proxy.username}:${proxy.password}`).toString('base64');
  const asked = request({
    method: 'CONNECT',
    path,
    createConnection: () => socket,
    headers: {
      host: path,
      connection: 'keep-alive',
      ...(proxy.username && { 'proxy-authorization': `Basic ${credentials}` }),
    },
  });
  asked.end();
  const [{ statusCode = 0 }, , head] = await once(asked, 'connect');
  if (statusCode === 407) throw new TunnelError('it does not accept its user name and password (407)', true);
  if (statusCode < 200 || statusCode > 299) throw new TunnelError(`it answered ${statusCode}`, false);
  if (head.length) socket.unshift(head);
}

/** RFC 1928, and RFC 1929 for the password. */
async function askSocks(
  socket: Socket,
  { username, password }: ProxyServer,
  { address, family, port }: Target,
) {
  socket.write(Buffer.of(SOCKS_VERSION, 1, username ? SOCKS_PASSWORD : SOCKS_NO_AUTHENTICATION));
  const [version, method] = await read(socket, 2);
  if (version !== SOCKS_VERSION) throw new TunnelError('it does not speak SOCKS5', true);
  if (method === SOCKS_PASSWORD) {
    socket.write(Buffer.concat([Buffer.of(1), counted(username), counted(password)]));
    const [, status] = await read(socket, 2);
    if (status !== 0) throw new TunnelError('it does not accept its user name and password', true);
  } else if (method !== SOCKS_NO_AUTHENTICATION) {
    throw new TunnelError('it wants another way to log in than a user name and password', true);
  }
  const [type] = family === 6 ? SOCKS_IPV6 : SOCKS_IPV4;
  const head = Buffer.of(SOCKS_VERSION, SOCKS_CONNECT, 0, type);
  socket.write(Buffer.concat([head, addressBytes(address), Buffer.of(port >> 8, port & 0xff)]));
  const [, reply, , boundType] = await read(socket, 4);
  if (reply !== 0) throw new TunnelError(`it replied ${reply} (RFC 1928 6)`, false);
  await read(socket, (await lengthOfBound(socket, boundType)) + 2);
}

async function lengthOfBound(socket: Socket, type: number | undefined): Promise<number> {
  if (type === SOCKS_NAME) return (await read(socket, 1))[0] ?? 0;
  return type === SOCKS_IPV6[0] ? SOCKS_IPV6[1] : SOCKS_IPV4[1];
}

function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

function addressBytes(address: string): Uint8Array {
  return Uint8Array.from(ipaddr.parse(address).toByteArray());
}

/** Exactly so many bytes. @throws Error when the connection ends before */
async function read(socket: Socket, length: number): Promise<Buffer> {
  for (;;) {
    const bytes: Buffer | null = socket.read(length);
    if (bytes?.length === length) return bytes;
    if (bytes || socket.readableEnded || socket.destroyed) throw new Error('the connection was closed');
    await once(socket, 'readable');
  }
}
