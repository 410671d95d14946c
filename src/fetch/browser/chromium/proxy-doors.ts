import type { ChildProcess } from 'node:child_process';
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';
import { freeDescriptors } from '../../../system/descriptors.ts';
import type { ProxyDoor } from '../../net/egress-proxy.ts';

/** Program that opens the ports of proxies in the network that it is started in. */
export const LISTEN_PROGRAM = join(import.meta.dirname, 'listen-inside.js');

/** How many connections a browser may have to its proxies. */
export interface ConnectionLimits {
  /** All of them. */
  total: number;
  /** Those of one context, which are told from others by the IP address at which they come in. */
  ofContext: number;
}

/**
 * Connections to its proxies that a context may have. Chromium itself opens up to 256, and as many WebSockets; pages
 * with very many advertisements need about a hundred.
 */
const CONNECTIONS_PER_CONTEXT = 128;
/** Each takes a file descriptor of this process to the browser and one to the site. They get half of the free ones. */
const DESCRIPTORS_PER_CONNECTION = 4;
const MIN_CONNECTIONS_PER_CONTEXT = 16;

/**
 * How many connections to its proxies a browser may have at once, so that the pages of one context leave enough for
 * those of all others.
 * @param contexts how many contexts it has at most
 * @param free how many file descriptors this process can still open
 */
export function connectionLimits(contexts: number, free = freeDescriptors()): ConnectionLimits {
  const share = Math.floor(free / DESCRIPTORS_PER_CONNECTION / contexts);
  const ofContext = Math.min(CONNECTIONS_PER_CONTEXT, Math.max(MIN_CONNECTIONS_PER_CONTEXT, share));
  return { total: contexts * ofContext, ofContext };
}

/** A file descriptor was missing, which says nothing about what the machine allows. */
export class MissingDescriptorError extends Error {}

/** The proxies of a browser that has a network of its own. */
export interface OpenDoors {
  /** Resolves when all ports are open; rejects if one is missing. */
  opened: Promise<void>;
  /** Ends all connections. */
  close(): void;
}

/**
 * Accepts the connections to proxies in the network of a browser.
 * @param child the process with the IPC channel over which {@link LISTEN_PROGRAM} passes its sockets
 * @param limits of the connections to all doors; further ones are closed
 */
export function openDoors(
  child: ChildProcess,
  doors: readonly ProxyDoor[],
  limits: ConnectionLimits,
): OpenDoors {
  const connections = new Set<Socket>();
  const listening = new Map<number, Server>();
  const opened = new Promise<void>((resolve, reject) => {
    if (doors.length === 0) resolve();
    child.on('message', (port, handle) => {
      const door = doors.find((each) => each.port === port);
      if (!door) return reject(new Error(`the port ${port} is not that of a proxy`));
      // Without a free file descriptor, the port arrives without its server.
      if (!handle)
        return reject(
          new MissingDescriptorError(`This process has no file descriptor left for the proxy port ${port}.`),
        );
      // What `listen-inside.js` sends are servers.
      const server = handle as Server;
      listening.set(door.port, server);
      accept(server, door, { connections, limits });
      if (listening.size === doors.length) resolve();
    });
    child.once('disconnect', () => reject(new Error('the port of the proxy was not opened')));
  });
  // Whoever starts the browser reports it.
  opened.catch(() => undefined);
  return {
    opened,
    close() {
      for (const server of listening.values()) server.close();
      for (const connection of connections) connection.destroy();
    },
  };
}

function accept(
  server: Server,
  door: ProxyDoor,
  { connections, limits }: { connections: Set<Socket>; limits: ConnectionLimits },
): void {
  // A connection that cannot be accepted fails in the browser.
  server.on('error', () => undefined);
  server.on('connection', (connection) => {
    connection.on('error', () => connection.destroy());
    const { localAddress } = connection;
    const ofContext = () =>
      Array.from(connections).filter((each) => each.localAddress === localAddress).length;
    if (connections.size >= limits.total || ofContext() >= limits.ofContext) return void connection.destroy();
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
    door.serve(connection);
  });
}
