import { createSocket } from 'node:dgram';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';

/** Whether something could listen there now; 0 always can. */
export function isPortFree(port: number, host: string): Promise<boolean> {
  return listenOnce(port, host).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') return false;
      throw error;
    },
  );
}

/** A TCP port that no other instance takes, even while nothing listens there. */
export interface HeldPort {
  port: number;
  release(): void;
}

/**
 * Takes the preferred port where it is free, else one that the system picks. Loopback only. A part that died finds its
 * port again: as long as the port is held, its UDP twin is bound, and whoever asks here sees that. Were it taken by
 * another instance's engine meanwhile, the workers of this one would do that one's work.
 * @param preferred 0 is any
 */
export async function holdPort(preferred: number): Promise<HeldPort> {
  for (let wanted = preferred; ; wanted = 0) {
    const port =
      wanted && (await isPortFree(wanted, '127.0.0.1')) ? wanted : await listenOnce(0, '127.0.0.1');
    const release = await bindTwin(port);
    if (release) return { port, release };
  }
}

function bindTwin(port: number): Promise<(() => void) | undefined> {
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

/** Who listens on a TCP port of this machine: `command (process 123)`; `undefined` where the system does not tell. */
export function portHolder(port: number): string | undefined {
  const sockets = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listeningSockets(table, port));
  if (!sockets.length) return undefined;
  for (const pid of entries('/proc').filter((entry) => /^\d+$/.test(entry))) {
    for (const fd of entries(`/proc/${pid}/fd`)) {
      if (sockets.includes(linkTarget(`/proc/${pid}/fd/${fd}`))) return `${commandOf(pid)} (process ${pid})`;
    }
  }
  return undefined;
}

function listenOnce(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen({ port, host }, () => {
      const address = server.address();
      const taken = typeof address === 'object' && address ? address.port : port;
      server.close(() => resolve(taken));
    });
  });
}

/** Links of the sockets that listen on the port, from a table as in proc(5): address and port in hex, state 0A. */
function listeningSockets(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return textOf(table)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(suffix) && fields[3] === '0A')
    .map((fields) => `socket:[${fields[9]}]`);
}

function commandOf(pid: string): string {
  const words = textOf(`/proc/${pid}/cmdline`).split('\0').join(' ').trim();
  return words.length > 60 ? `${words.slice(0, 59)}…` : words;
}

// What of /proc belongs to other users, or just ended, cannot be read: it is left out, the answer is only a hint.
function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
const entries = (directory: string) => attempt(() => readdirSync(directory), []);
const linkTarget = (path: string) => attempt(() => readlinkSync(path), '');
const textOf = (path: string) => attempt(() => readFileSync(path, 'utf8'), '');
