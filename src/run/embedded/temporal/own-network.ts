import type { ChildProcess } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../../../errors.ts';
import { listen } from '../../../system/server.ts';
import { runCommand } from '../command.ts';

const DOOR_PROGRAM = join(import.meta.dirname, 'door.js');
/**
 * Sets loopback up, by iproute2 where it is installed, else by the kernel's own file, which only root may.
 */
const LOOPBACK_UP =
  'PATH=$PATH:/usr/sbin:/sbin; ip link set lo up 2>/dev/null || { mount -t sysfs none /sys && echo 0x9 >/sys/class/net/lo/flags; } || exit 1';
/**
 * Becomes the program, beside which the door runs. The kernel ends the door with the program, and the program
 * is ended with the door, so that the supervisor starts both again. Only the door gets the IPC channel (3).
 */
const START_SCRIPT = `${LOOPBACK_UP}
setpriv --pdeathsig KILL sh -c 'setpriv --pdeathsig KILL "$@"; kill "$PPID"' sh "$1" "$2" &
shift 2 && exec "$@" 3>&-`;
/** How often a port is tried that a process which is still exiting may hold, and the pause in between. */
const PORT_ATTEMPTS = 40;
const PORT_PAUSE_MS = 50;

const newNetwork = () => [
  'unshare',
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  ...['--net', '--mount', 'sh', '-c'],
];

/** Whether this machine lets us give a program a network of its own. */
export async function canHaveOwnNetwork(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const [program = '', ...args] = newNetwork();
  const script = `${LOOPBACK_UP}; exec setpriv --pdeathsig KILL true`;
  const { exitCode } = await runCommand(program, [...args, script], { timeoutMs: 10_000 });
  return exitCode === 0;
}

/** Says what is missing where {@link canHaveOwnNetwork} says no. */
export const OPEN_TEMPORAL =
  'Temporal listens on loopback without a password, where every user of this machine can read and end jobs, because it cannot have a network of its own. Allow user namespaces (kernel.unprivileged_userns_clone=1) and install iproute2, or start as root.';

/**
 * The command that runs a program in a network of its own, which no other program of the machine is in. Its
 * file descriptor 3 has to be an IPC channel, see {@link openDoor}.
 */
export const inOwnNetwork = (command: readonly string[]): [string, ...string[]] => {
  const [program = '', ...args] = newNetwork();
  return [program, ...args, START_SCRIPT, 'sh', process.execPath, DOOR_PROGRAM, ...command];
};

/** A port of the program, which can be reached from outside at the same port. */
interface DoorPort {
  kind: 'grpc' | 'pages';
  port: number;
}

/**
 * Opens ports of loopback through which whoever knows the password reaches a program in its own network.
 * @param child was started by {@link inOwnNetwork}; it is killed if a port cannot be opened
 */
export async function openDoor(
  child: ChildProcess,
  { ports, password }: { ports: readonly DoorPort[]; password: string },
): Promise<void> {
  try {
    for (const { kind, port } of ports) {
      const server = await listenPatiently(port);
      const message = { kind, port, password };
      await new Promise<void>((resolve, reject) => {
        child.send(message, server, {}, (error) => (error ? reject(error) : resolve()));
      }).finally(() => server.close());
    }
    // The channel need not keep this process alive.
    child.channel?.unref();
  } catch {
    // The supervisor starts the program again, and reports why it ended.
    child.kill('SIGKILL');
  }
}

async function listenPatiently(port: number): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const server = createServer((connection) => connection.destroy());
    try {
      // The door accepts the connections, so an error of this server concerns nobody.
      await listen(server, { port, host: '127.0.0.1' }, () => undefined);
      return server;
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE' || attempt === PORT_ATTEMPTS) throw error;
      await sleep(PORT_PAUSE_MS);
    }
  }
}
