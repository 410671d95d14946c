import { existsSync, realpathSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import type { CdpConnection } from '../../fetch/browser/chromium/cdp.ts';
import {
  type Chromium,
  chromiumArguments,
  connectChromium,
} from '../../fetch/browser/chromium/launch-chromium.ts';
import { connectionLimits, LISTEN_PROGRAM, openDoors } from '../../fetch/browser/chromium/proxy-doors.ts';
import { type Appearance, DESKTOP_VIEWPORT } from '../../fetch/browser/device-emulation.ts';
import { acceptLanguage } from '../../fetch/engines/visitor.ts';
import type { Logger } from '../../system/logger.ts';
import { type Confinement, startConfined } from '../../system/sandbox/confinement.ts';
import { UNSHARE } from '../../system/sandbox/limits.ts';
import type { SandboxedProgram } from '../../system/sandbox/sandboxed-program.ts';
import { SESSION_UID, type SessionDirectory } from '../session-directory.ts';
import { DOWNLOADS_PATH, INCOMING_PATH } from '../session-paths.ts';

/** How the browser of a session is started. */
export interface SessionBrowserOptions {
  /** The Chromium binary. */
  executablePath: string;
  confinement: Confinement;
  directory: Pick<SessionDirectory, 'profile' | 'downloads' | 'incoming'>;
  logger: Pick<Logger, 'warn'>;
}

const PROFILE_PATH = '/profile';
/** The port inside the sandbox at which Chromium finds its proxy. */
const PROXY_PORT = 3128;
const SHELL = '/bin/sh';
/** Its connections are as many as those of so many browser contexts, of which its user may open any number. */
const CONTEXTS = 2;
/**
 * Opens the proxy's port, and becomes Chromium when it may: when it has read a time zone, further flags and an empty
 * line. Only Chromium gets the protocol's pipe (3, 4), only Node the IPC channel (5). The parentheses make Node a child
 * of the sandbox's first process, because Chromium would not reap it.
 */
const START_SCRIPT = `("$1" "$2" "$3" </dev/null 3>&- 4>&- &) && shift 3 && IFS= read -r TZ && export TZ &&
while IFS= read -r flag && [ -n "$flag" ]; do set -- "$@" "$flag"; done && exec "$@" </dev/null 5>&-`;
const IPC_FD = 5;
/** Files with fonts and their configuration, as Debian and most other distributions have them. */
const FONT_PATHS = ['/etc/fonts', '/usr/share/fonts', '/usr/share/fontconfig', '/var/cache/fontconfig'];

/** The cache of the browser counts as part of its profile, whose size is limited; pages may use the rest. */
const MAX_CACHE_BYTES = 128 * 1024 * 1024;

/** The kernel applies them to each process. `browser-limits.ts` has those of all processes together. */
const LIMITS = {
  memoryMb: 2048,
  reservedMb: 2048,
  cpuSeconds: 4 * 3600,
  processes: 2048,
  openFiles: 4096,
  // Chromium shares the memory of large pages and images between its processes by files in `/tmp`.
  temporaryMb: 1024,
  fileMb: 1024,
};

/**
 * A sandbox with an open port for the proxy, in which a shell waits to become Chromium. It takes about a
 * megabyte.
 */
export interface BrowserSandbox {
  /** Whether it can no longer start a browser. */
  readonly hasEnded: boolean;
  /**
   * Starts the browser of a visitor, once.
   * @param serveProxy serves a connection that it opens to its proxy
   * @throws Error if it does not start
   */
  startBrowser(visitor: Appearance, serveProxy: (connection: Socket) => void): Promise<Chromium>;
  /** Ends the sandbox before it has started a browser. */
  close(): void;
}

/**
 * Opens a sandbox for a browser: without network except for the proxy, and without files of the host except
 * for fonts, its profile and its downloads.
 * @throws Error if bubblewrap cannot be started
 */
export async function openBrowserSandbox(options: SessionBrowserOptions): Promise<BrowserSandbox> {
  const group = await startConfined(sandboxedChromium(options), options.confinement, [
    ...(['pipe', 'ignore', 'pipe', 'pipe', 'pipe', 'ipc'] as const),
  ]);
  const { child, kill } = group;
  // A sandbox that has ended cannot be told to start; its end says so.
  child.stdin?.on('error', () => undefined);
  let serve = (connection: Socket): void => void connection.destroy();
  const door = { port: PROXY_PORT, serve: (connection: Socket) => serve(connection) };
  // All its contexts are those of one session.
  const { total } = connectionLimits(CONTEXTS);
  const doors = openDoors(child, [door], { total, ofContext: total });
  let hasEnded = false;
  child.once('close', () => {
    hasEnded = true;
    doors.close();
  });
  return {
    get hasEnded() {
      return hasEnded;
    },
    async startBrowser(visitor, serveProxy) {
      const connecting = connectChromium(group, { name: options.executablePath, logger: options.logger });
      serve = serveProxy;
      child.stdin?.end([visitor.timezone, ...visitorFlags(visitor), '', ''].join('\n'));
      try {
        const [chromium] = await Promise.all([connecting, doors.opened]);
        await allowDownloads(chromium.connection);
        return chromium;
      } catch (error) {
        kill();
        throw error;
      }
    },
    close: kill,
  };
}

/**
 * The flags by which a browser appears as a visitor in all that it requests, and in workers too. Emulation adds the rest
 * (`session-emulation.ts`).
 */
const visitorFlags = ({ userAgent, languages }: Appearance): string[] => [
  `--user-agent=${userAgent.replaceAll(/[\r\n]/g, ' ')}`,
  `--accept-lang=${acceptLanguage(languages)}`,
];

/**
 * Lets pages of a browser context store downloads, by default those of the first one. Each is stored under
 * its id, because Chromium overwrites files of the same name.
 */
export async function allowDownloads({ browser }: CdpConnection, browserContextId?: string): Promise<void> {
  await browser.send('Browser.setDownloadBehavior', {
    behavior: 'allowAndName',
    downloadPath: INCOMING_PATH,
    eventsEnabled: true,
    ...(browserContextId && { browserContextId }),
  });
}

/** The program of a session's browser. */
function sandboxedChromium({
  executablePath,
  directory,
}: Pick<SessionBrowserOptions, 'executablePath' | 'directory'>): SandboxedProgram {
  const node = realpathSync(process.execPath);
  return {
    command: [
      ...([
        SHELL,
        '-c',
        START_SCRIPT,
        'sh',
        node,
        LISTEN_PROGRAM,
        String(PROXY_PORT),
        executablePath,
      ] as const),
      ...chromiumArguments({ profile: PROFILE_PATH, proxyUrl: `http://127.0.0.1:${PROXY_PORT}` }),
      `--disk-cache-size=${MAX_CACHE_BYTES}`,
      // As in scrapes; many sites lay out Chromium's own 800 by 600 pixels as a tablet.
      `--window-size=${DESKTOP_VIEWPORT.width},${DESKTOP_VIEWPORT.height}`,
      'about:blank',
    ],
    readOnlyPaths: [
      node,
      LISTEN_PROGRAM,
      dirname(executablePath),
      ...FONT_PATHS.filter((path) => existsSync(path)),
    ],
    mounts: [
      { source: directory.profile, target: PROFILE_PATH, isWritable: true },
      { source: directory.downloads, target: DOWNLOADS_PATH, isWritable: true },
      { source: directory.incoming, target: INCOMING_PATH, isWritable: true },
    ],
    memoryPaths: ['/dev/shm'],
    allowsUserNamespaces: true,
    uid: SESSION_UID,
    env: { NODE_CHANNEL_FD: String(IPC_FD), NODE_CHANNEL_SERIALIZATION_MODE: 'json', NODE_NO_WARNINGS: '1' },
    limits: LIMITS,
  };
}

/**
 * A program that ends with 0 if the browser of a session can run as {@link sandboxedChromium}: inside, it
 * does what Chromium does for its own sandbox, without which Chromium does not start.
 */
export function sandboxProbe(
  options: Pick<SessionBrowserOptions, 'executablePath' | 'directory'>,
): SandboxedProgram {
  const program = sandboxedChromium(options);
  return {
    ...program,
    command: [UNSHARE, '--user', '--map-root-user', '--net', '--pid', '--fork', SHELL, '-c', 'exit 0'],
    readOnlyPaths: [...program.readOnlyPaths, SHELL],
  };
}
