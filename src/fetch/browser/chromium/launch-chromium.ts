import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessGroup } from '../../../system/child-processes/process-group.ts';
import { createProgramHome } from '../../../system/child-processes/program-home.ts';
import { startUnprivileged } from '../../../system/child-processes/unprivileged-process.ts';
import type { Logger } from '../../../system/logger.ts';
import { CdpConnection } from './cdp.ts';

/**
 * The user that Chromium runs as when the service runs as root: no account's, in the range that systemd keeps
 * for dynamic users, and not the one that the embedded Postgres runs as.
 */
export const BROWSER_UID = 61_911;

/** The warning for operators of a machine without user namespaces. */
export const noSandboxWarning = () =>
  `Chromium runs without its own sandbox, because user namespaces are off here: a page that breaks out of it has ${
    process.getuid?.() === 0
      ? 'the rights of a user without an account'
      : 'all rights of the user that Winnow runs as'
  }, instead of none. Allow unprivileged user namespaces (kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0; in a container security_opt, as in docker-compose.yml).`;

/** Flags that force all traffic through the egress proxy. */
const NETWORK_FLAGS = [
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  // The proxy resolves names. Lookups that bypass it, such as those of WebRTC servers, fail.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  // Removes Chromium's own exception for loopback, which the address policy has to decide too.
  '--proxy-bypass-list=<-loopback>',
];

/** Flags that disable features for interactive users and connections to the vendor. */
const UNWANTED_FLAGS = [
  ...['--no-first-run', '--no-default-browser-check', '--no-startup-window', '--no-service-autorun'],
  ...[
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-breakpad',
  ],
  ...['--disable-default-apps', '--disable-extensions', '--disable-field-trial-config'],
  ...['--metrics-recording-only', '--password-store=basic', '--use-mock-keychain', '--mute-audio'],
  ...['--disable-prompt-on-repost', '--disable-hang-monitor', '--disable-popup-blocking'],
];

const UNWANTED_FEATURES = [
  // Listens for multicast in the network as soon as a page uses WebRTC.
  'WebRtcHideLocalIpsWithMdns',
  // URLs are fetched with the scheme that was requested.
  'HttpsUpgrades',
  ...['Translate', 'OptimizationHints', 'MediaRouter', 'DialMediaRouteProvider', 'GlobalMediaControls'],
  // Delays the first paint of a page in favour of the page before it.
  'PaintHolding',
];

/** Flags that keep background pages active and make the browser look like one with a mouse and a screen. */
const PAGE_FLAGS = [
  ...['--headless', '--hide-scrollbars', '--disable-gpu', '--disable-dev-shm-usage'],
  ...['--disable-back-forward-cache', '--disable-background-timer-throttling'],
  ...['--disable-backgrounding-occluded-windows', '--disable-renderer-backgrounding'],
  '--force-color-profile=srgb',
  // Without this, `navigator.webdriver` is true, and many sites block such visitors.
  '--disable-blink-features=AutomationControlled',
  // A mouse, as most visitors have.
  '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4',
];

/** How long a browser may take to respond after its start, and to exit after the command to close. */
const START_TIMEOUT_MS = 60_000;
const CLOSE_TIMEOUT_MS = 5_000;

/** How Chromium is started. */
export interface LaunchOptions {
  executablePath: string;
  /** The egress proxy that all its traffic goes through. */
  proxyUrl: string;
  logger: Pick<Logger, 'warn'>;
}

/** A running browser. */
export interface Chromium {
  connection: CdpConnection;
  /** Its process, or that of its sandbox. */
  pid: number | undefined;
  /**
   * Ends the browser with all its pages.
   * @param graceMs how long it may take to exit by itself, in milliseconds; five seconds by default
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * Starts Chromium as an unprivileged user with its own sandbox. Where the machine does not allow the sandbox
 * (no user namespaces), Chromium runs without it, and a warning is logged.
 */
export async function launchChromium(options: LaunchOptions): Promise<Chromium> {
  try {
    return await launch(options, []);
  } catch (error) {
    if (
      !/no usable sandbox|sandbox_host_linux|zygote_host|Failed to move to new namespace|clone\(\) failure/i.test(
        String(error),
      )
    )
      throw error;
    options.logger.warn(noSandboxWarning());
    return launch(options, ['--no-sandbox']);
  }
}

async function launch({ executablePath, proxyUrl }: LaunchOptions, flags: string[]): Promise<Chromium> {
  const home = await createProgramHome('chromium', BROWSER_UID);
  const group = startUnprivileged(
    [executablePath, ...chromiumArguments({ profile: `${home.path}/profile`, proxyUrl }), ...flags],
    {
      uid: BROWSER_UID,
      home: home.path,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    },
  );
  const removed = once(group.child, 'exit').finally(home.remove);
  // A program that could not be started is reported by `connectChromium`.
  removed.catch(() => undefined);
  const { connection, pid, close } = await connectChromium(group, executablePath);
  return {
    connection,
    pid,
    async close(graceMs) {
      await close(graceMs);
      await removed;
    },
  };
}

/**
 * The arguments of a Chromium that is controlled over the pipe at the file descriptors 3 and 4.
 * @param options.profile directory of its profile
 * @param options.proxyUrl the proxy that all its traffic goes through
 */
export const chromiumArguments = ({ profile, proxyUrl }: { profile: string; proxyUrl: string }): string[] => [
  ...['--remote-debugging-pipe', `--user-data-dir=${profile}`, `--proxy-server=${proxyUrl}`],
  ...[...NETWORK_FLAGS, ...UNWANTED_FLAGS, ...PAGE_FLAGS],
  `--disable-features=${UNWANTED_FEATURES.join()}`,
];

/**
 * Connects to a Chromium that was just started with {@link chromiumArguments}, and waits until it responds.
 * @param name the name of the program in errors
 * @throws Error with the end of what it wrote if it ends or stays silent for a minute; it is killed then
 */
export async function connectChromium(group: ProcessGroup, name: string): Promise<Chromium> {
  const { child, kill, stderrTail } = group;
  const exited = once(child, 'exit');
  const connection = new CdpConnection({
    input: child.stdio[3] as Writable,
    output: child.stdio[4] as Readable,
  });

  const close = async (graceMs = CLOSE_TIMEOUT_MS) => {
    // A browser that does not respond is killed below.
    connection.browser.send('Browser.close').catch(() => undefined);
    await Promise.race([exited, sleep(graceMs, undefined, { ref: false })]);
    kill();
    await exited;
  };
  try {
    const timeout = sleep(START_TIMEOUT_MS, undefined, { ref: false }).then(() => {
      throw new Error(`Chromium said nothing for ${START_TIMEOUT_MS / 1000} s`);
    });
    await Promise.race([
      enableTargetDiscovery(connection),
      exited.then(() => {
        throw new Error('Chromium ended');
      }),
      timeout,
    ]);
  } catch (cause) {
    kill();
    // `exited` rejects when the program could not be started, which `cause` then says.
    await exited.catch(() => undefined);
    throw new Error(`Chromium (${name}) does not start: ${stderrTail() || 'it said nothing'}`, {
      cause,
    });
  }
  return { connection, pid: child.pid, close };
}

/** Enables events for new pages. The response also shows that the browser is ready. */
const enableTargetDiscovery = ({ browser }: CdpConnection) =>
  browser.send('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }] });
