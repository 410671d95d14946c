import type { ChildProcess } from 'node:child_process';
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';
import type { ProxyDoor } from '../../net/egress-proxy.ts';

/** Program that opens the ports of proxies in the network that it is started in. */
export const LISTEN_PROGRAM = join(import.meta.dirname, 'listen-inside.js');

/**
 * Connections of a browser to its proxies at once; further ones are closed. Each takes two file descriptors of
 * this process. Chromium has up to 64 for each browser context, of which there may be any number.
 */
const MAX_PROXY_CONNECTIONS = 256;

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
 */
export function openDoors(child: ChildProcess, doors: readonly ProxyDoor[]): OpenDoors {
  const connections = new Set<Socket>();
  const listening = new Map<number, Server>();
  const opened = new Promise<void>((resolve, reject) => {
    if (doors.length === 0) resolve();
    child.on('message', (port, handle) => {
      const door = doors.find((each) => each.port === port);
      // Without a free file descriptor, the port arrives without its server.
      if (!door || !handle) return reject(new Error(`the port ${port} of the proxy is missing`));
      // What `listen-inside.js` sends are servers.
      const server = handle as Server;
      listening.set(door.port, server);
      accept(server, door, connections);
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

function accept(server: Server, door: ProxyDoor, connections: Set<Socket>): void {
  server.maxConnections = MAX_PROXY_CONNECTIONS;
  // A connection that cannot be accepted fails in the browser.
  server.on('error', () => undefined);
  server.on('connection', (connection) => {
    connection.on('error', () => connection.destroy());
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
    door.serve(connection);
  });
}
