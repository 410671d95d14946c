import { createSocket } from 'node:dgram';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { codeOf, ServiceError } from '../../errors.ts';

const CANDIDATES = 1000;

/** Whether the port is free; port 0 always is. */
export function isPortFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => (codeOf(error) === 'EADDRINUSE' ? resolve(false) : reject(error)));
    server.listen({ port, host }, () => server.close(() => resolve(true)));
  });
}

/** A TCP port that no other instance takes, even while nothing listens on it. */
export interface ReservedPort {
  port: number;
  release(): void;
}

/**
 * Reserves the preferred loopback port, or the next one above it that is free. Ports that the system picks
 * are avoided: it gives them to any outgoing connection, so that a server that starts later, or again, could
 * not listen. While the port is reserved, the UDP port of the same number stays bound, which other instances
 * check, so that a restarted process finds its port again. If another instance's Temporal server took the
 * port meanwhile, our workers would run that instance's work.
 * @throws ServiceError `SERVICE_UNAVAILABLE` when none of a thousand ports is free
 */
export async function reservePort(preferred: number): Promise<ReservedPort> {
  for (let port = preferred; port < preferred + CANDIDATES; port++) {
    const release = (await isPortFree(port, '127.0.0.1')) && (await bindUdpTwin(port));
    if (release) return { port, release };
  }
  throw new ServiceError(
    'SERVICE_UNAVAILABLE',
    `No port of 127.0.0.1 from ${preferred} to ${preferred + CANDIDATES - 1} is free. Stop programs that listen on them.`,
  );
}

function bindUdpTwin(port: number): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    const twin = createSocket('udp4');
    twin.once('error', (error) => {
      twin.close();
      if (codeOf(error) === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    twin.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      twin.unref();
      resolve(() => twin.close());
    });
  });
}

/**
 * Finds the process that listens on a TCP port: `command (process 123)`; `undefined` where the system does
 * not show it.
 */
export function findPortOwner(port: number): string | undefined {
  const sockets = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listeningSockets(table, port));
  if (!sockets.length) return undefined;
  for (const pid of entries('/proc').filter((entry) => /^\d+$/.test(entry))) {
    for (const fd of entries(`/proc/${pid}/fd`)) {
      if (sockets.includes(readLink(`/proc/${pid}/fd/${fd}`)))
        return `${commandLineOf(pid)} (process ${pid})`;
    }
  }
  return undefined;
}

/**
 * Returns the link targets of listening sockets from a table described in proc(5): hex address and port,
 * state 0A.
 */
function listeningSockets(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readText(table)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(suffix) && fields[3] === '0A')
    .map((fields) => `socket:[${fields[9]}]`);
}

function commandLineOf(pid: string): string {
  const words = readText(`/proc/${pid}/cmdline`).split('\0').join(' ').trim();
  return words.length > 60 ? `${words.slice(0, 59)}…` : words;
}

// Entries of other users and of ended processes cannot be read. They are skipped, because the result is only
// a hint.
function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
const entries = (directory: string) => attempt(() => readdirSync(directory), []);
const readLink = (path: string) => attempt(() => readlinkSync(path), '');
const readText = (path: string) => attempt(() => readFileSync(path, 'utf8'), '');
