import { once } from 'node:events';
import { request } from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import ipaddr from 'ipaddr.js';
import type { ResolvedAddress } from './system-resolver.ts';

/** An upstream proxy, parsed from its URL. */
export interface ProxyServer {
  protocol: 'http:' | 'https:' | 'socks5:';
  hostname: string;
  port: number;
  /** User name and password are empty for a proxy without authentication. */
  username: string;
  password: string;
}

/** A tunnel that could not be opened. */
export class TunnelError extends Error {
  override readonly name = 'TunnelError';
  /** True where the proxy itself does not work; false where it reports that it cannot reach the target. */
  readonly isProxyFault: boolean;

  constructor(message: string, ofProxy: boolean, cause?: unknown) {
    super(message, { cause });
    this.isProxyFault = ofProxy;
  }
}

/** Time limit for connecting to a proxy, TLS handshake included. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Time limit for the proxy's reply, for which it has to connect to the target. */
const REPLY_TIMEOUT_MS = 10_000;

const SOCKS_VERSION = 5;
const SOCKS_NO_AUTHENTICATION = 0;
const SOCKS_PASSWORD = 2;
const SOCKS_CONNECT = 1;
/** Type and length in bytes of an address in a SOCKS message. */
const SOCKS_IPV4 = [1, 4] as const;
const SOCKS_NAME = 3;
const SOCKS_IPV6 = [4, 16] as const;

/**
 * Opens a connection to an IP address through a proxy. The proxy gets the checked address, never the name, so
 * that it cannot resolve the name to another one.
 * @throws TunnelError when the proxy fails or cannot reach the target
 */
export async function openTunnel(proxy: ProxyServer, to: ResolvedAddress, port: number): Promise<Socket> {
  const socket = await connectToProxy(proxy);
  const timer = setTimeout(
    () => socket.destroy(new Error(`no reply in ${REPLY_TIMEOUT_MS} ms`)),
    REPLY_TIMEOUT_MS,
  );
  try {
    await (proxy.protocol === 'socks5:' ? requestSocksTunnel : requestHttpTunnel)(socket, proxy, {
      ...to,
      port,
    });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error instanceof TunnelError ? error : new TunnelError('it closed the connection', true, error);
  } finally {
    clearTimeout(timer);
  }
}

async function connectToProxy({ protocol, hostname, port }: ProxyServer): Promise<Socket> {
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

interface TunnelTarget extends ResolvedAddress {
  port: number;
}

/**
 * Opens an HTTP CONNECT tunnel (RFC 9110 9.3.6). Plain requests use it too, because a forwarding proxy would
 * resolve names itself.
 */
async function requestHttpTunnel(
  socket: Socket,
  proxy: ProxyServer,
  { address, family, port }: TunnelTarget,
): Promise<void> {
  const path = `${family === 6 ? `[${address}]` : address}:${port}`;
  const credentials = Buffer.from(`${proxy.username}:${proxy.password}`).toString('base64');
  const connectRequest = request({
    method: 'CONNECT',
    path,
    createConnection: () => socket,
    headers: {
      host: path,
      connection: 'keep-alive',
      ...(proxy.username && { 'proxy-authorization': `Basic ${credentials}` }),
    },
  });
  connectRequest.end();
  const [{ statusCode = 0 }, , head] = await once(connectRequest, 'connect');
  if (statusCode === 407) throw new TunnelError('it does not accept its user name and password (407)', true);
  if (statusCode < 200 || statusCode > 299)
    throw new TunnelError(`it responded with status ${statusCode}`, false);
  if (head.length) socket.unshift(head);
}

/** Opens a SOCKS5 tunnel (RFC 1928, with passwords by RFC 1929). */
async function requestSocksTunnel(
  socket: Socket,
  { username, password }: ProxyServer,
  { address, family, port }: TunnelTarget,
) {
  socket.write(Buffer.of(SOCKS_VERSION, 1, username ? SOCKS_PASSWORD : SOCKS_NO_AUTHENTICATION));
  const [version, method] = await readExactly(socket, 2);
  if (version !== SOCKS_VERSION) throw new TunnelError('it does not speak SOCKS5', true);
  if (method === SOCKS_PASSWORD) {
    socket.write(Buffer.concat([Buffer.of(1), prefixLength(username), prefixLength(password)]));
    const [, status] = await readExactly(socket, 2);
    if (status !== 0) throw new TunnelError('it does not accept its user name and password', true);
  } else if (method !== SOCKS_NO_AUTHENTICATION) {
    throw new TunnelError('it requires an authentication method other than user name and password', true);
  }
  const [type] = family === 6 ? SOCKS_IPV6 : SOCKS_IPV4;
  const head = Buffer.of(SOCKS_VERSION, SOCKS_CONNECT, 0, type);
  socket.write(Buffer.concat([head, addressBytes(address), Buffer.of(port >> 8, port & 0xff)]));
  const [, reply, , boundType] = await readExactly(socket, 4);
  if (reply !== 0) throw new TunnelError(`it replied with SOCKS5 code ${reply} (RFC 1928 6)`, false);
  await readExactly(socket, (await readBoundAddressLength(socket, boundType)) + 2);
}

async function readBoundAddressLength(socket: Socket, type: number | undefined): Promise<number> {
  if (type === SOCKS_NAME) return (await readExactly(socket, 1))[0] ?? 0;
  return type === SOCKS_IPV6[0] ? SOCKS_IPV6[1] : SOCKS_IPV4[1];
}

function prefixLength(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

function addressBytes(address: string): Uint8Array {
  return Uint8Array.from(ipaddr.parse(address).toByteArray());
}

/** Reads exactly `length` bytes. @throws Error when the connection ends first */
async function readExactly(socket: Socket, length: number): Promise<Buffer> {
  for (;;) {
    const bytes: Buffer | null = socket.read(length);
    if (bytes?.length === length) return bytes;
    if (bytes || socket.readableEnded || socket.destroyed) throw new Error('the connection was closed');
    await once(socket, 'readable');
  }
}
