import { createSocket } from 'node:dgram';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';

/** Whether the port is free; port 0 always is. */
export function isPortFree(port: number, host: string): Promise<boolean> {
  return probePort(port, host).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') return false;
      throw error;
    },
  );
}

/** A TCP port that no other instance takes, even while nothing listens on it. */
export interface ReservedPort {
  port: number;
  release(): void;
}

/**
 * Reserves the preferred loopback port if it is free, else one that the system picks. While the port is reserved, the UDP
 * port of the same number stays bound, which other instances check, so that a restarted process finds its port again.
 * If another instance's Temporal server took the port meanwhile, our workers would run that instance's work.
 * @param preferred 0 for any port
 */
export async function reservePort(preferred: number): Promise<ReservedPort> {
  for (let wanted = preferred; ; wanted = 0) {
    const port = wanted && (await isPortFree(wanted, '127.0.0.1')) ? wanted : await probePort(0, '127.0.0.1');
    const release = await bindUdpTwin(port);
    if (release) return { port, release };
  }
}

function bindUdpTwin(port: number): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    const twin = createSocket('udp4');
    twin.once('error', (error: NodeJS.ErrnoException) => {
      twin.close();
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    twin.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      twin.unref();
      resolve(() => twin.close());
    });
  });
}

/** Finds the process that listens on a TCP port: `command (process 123)`; `undefined` where the system does not show it. */
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

function probePort(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen({ port, host }, () => {
      const address = server.address();
      const taken = typeof address === 'object' && address ? address.port : port;
      server.close(() => resolve(taken));
    });
  });
}

/** Returns the link targets of listening sockets from a table described in proc(5): hex address and port, state 0A. */
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

// Entries of other users and of ended processes cannot be read. They are skipped, because the result is only a hint.
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
