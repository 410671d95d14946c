import { realpathSync } from 'node:fs';
import { type ProcessGroup, startProcessGroup } from '../../../system/child-processes/process-group.ts';
import { dropPrivilegesArgs, PROGRAM_PATH } from '../../../system/child-processes/unprivileged-process.ts';
import type { ProxyDoor } from '../../net/egress-proxy.ts';
import { connectionLimits, LISTEN_PROGRAM, type OpenDoors, openDoors } from './proxy-doors.ts';

/** How the network of a browser is made: by root, or in a user namespace. */
export type NetworkMaker = 'root' | 'user-namespace';

/**
 * Adds a network card that leads nowhere, where iproute2 is installed: without any, Chromium would never end its
 * search for addresses for WebRTC, and pages might wait for that. The address is one of documentation (RFC 5737).
 */
const ADD_CARD =
  'printf "link add card type veth peer name end\\naddr add 192.0.2.2/24 dev card\\nlink set end up\\nlink set card up\\n" | ip -force -batch - >/dev/null 2>&1';
/**
 * Opens the ports of the proxies, and becomes the browser meanwhile. Only the browser gets the protocol's pipe
 * (3, 4), only Node the IPC channel (5).
 */
const START_SCRIPT = `${ADD_CARD}; "$1" "$2" "$3" "$4" </dev/null 3>&- 4>&- & shift 4 && exec "$@" 5>&-`;

/**
 * Where the proxies are reached in that network: at each of its loopback addresses, of which every context has
 * another one (see {@link loopbackHosts}). Nothing outside has a way into the network.
 */
const LISTENING_HOST = '0.0.0.0';

/** The files of the machine stay as they are; only the network is another one. */
const NEW_NETWORK = ['--unshare-net', '--dev-bind', '/', '/', '--die-with-parent'];

/** Only the network card needs the capability. */
const IN_USER_NAMESPACE = ['--unshare-user', '--cap-add', 'CAP_NET_ADMIN', '--cap-add', 'CAP_SETPCAP'];

/** The ways to make a network that this process has, the one that needs the least from the machine first. */
export const networkMakers = (): NetworkMaker[] =>
  process.platform !== 'linux'
    ? []
    : process.getuid?.() === 0
      ? ['root', 'user-namespace']
      : ['user-namespace'];

/** Options of {@link startInNetwork}. */
interface NetworkOptions {
  maker: NetworkMaker;
  doors: readonly ProxyDoor[];
  /** How many browser contexts it has open at most. */
  contexts: number;
  /** The user that the program runs as when the service runs as root. */
  uid: number;
  /** The home directory of the program. */
  home: string;
}

/**
 * Starts a browser in a network of its own, in which there is nothing but the proxies: neither ports of this
 * machine, nor programs of other users that could reach the proxies.
 * @param command is controlled over the pipe at the file descriptors 3 and 4
 */
export function startInNetwork(
  command: readonly [string, ...string[]],
  { maker, doors, contexts, uid, home }: NetworkOptions,
): { group: ProcessGroup; doors: OpenDoors } {
  const isRoot = process.getuid?.() === 0;
  const drop = ['setpriv', ...dropPrivilegesArgs(uid), '--'];
  const dropCapabilities = ['setpriv', '--ambient-caps=-all', '--inh-caps=-all', '--bounding-set=-all', '--'];
  const ports = doors.map(({ port }) => port).join(',');
  const inside = [
    '/bin/sh',
    '-c',
    START_SCRIPT,
    'sh',
    realpathSync(process.execPath),
    LISTEN_PROGRAM,
    ports,
    LISTENING_HOST,
  ];
  const network = ['bwrap', ...NEW_NETWORK];
  const whole =
    maker === 'root'
      ? // Root opens the ports, because the other user may not reach the program for that.
        [...network, '--', ...inside, ...drop, ...command]
      : [
          ...(isRoot ? drop : []),
          ...network,
          ...IN_USER_NAMESPACE,
          '--',
          ...inside,
          ...dropCapabilities,
          ...command,
        ];
  const group = startProcessGroup(whole as [string, ...string[]], {
    cwd: home,
    env: { PATH: PROGRAM_PATH, HOME: home, TMPDIR: home, NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe', 'ipc'],
  });
  const opened = openDoors(group.child, doors, connectionLimits(contexts));
  group.child.once('close', opened.close);
  return { group, doors: opened };
}

/** Hosts of the loopback network by which contexts can be told from each other, before one comes again. */
const LOOPBACK_HOSTS = 250 * 250;

/** Creates a function that gives the URL of a proxy another loopback address at each call. */
export function loopbackHosts(): (proxyUrl: string) => string {
  let calls = 0;
  return (proxyUrl) => {
    const number = calls++ % LOOPBACK_HOSTS;
    const { port } = new URL(proxyUrl);
    return `http://127.1.${Math.floor(number / 250)}.${1 + (number % 250)}:${port}`;
  };
}
