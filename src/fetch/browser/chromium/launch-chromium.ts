import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, messageOf } from '../../../errors.ts';
import type { ProcessGroup } from '../../../system/child-processes/process-group.ts';
import { createProgramHome } from '../../../system/child-processes/program-home.ts';
import { startUnprivileged } from '../../../system/child-processes/unprivileged-process.ts';
import type { Logger } from '../../../system/logger.ts';
import type { EgressProxy } from '../../net/egress-proxy.ts';
import { loopbackHosts, type NetworkMaker, networkMakers, startInNetwork } from './browser-network.ts';
import { CdpConnection } from './cdp.ts';
import { MissingDescriptorError } from './proxy-doors.ts';

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
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.*',
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

/** Contexts of a browser whose starter does not say how many it opens. */
const DEFAULT_CONTEXTS = 4;

/** How Chromium is started. */
export interface LaunchOptions {
  executablePath: string;
  /** The egress proxies that all its traffic goes through. */
  proxy: Pick<EgressProxy, 'url' | 'doors' | 'allowUser'>;
  /** How many browser contexts it has at most, for the number of its connections; four by default. */
  contexts?: number;
  logger: Pick<Logger, 'warn'>;
}

/** Whether a warning has said already that browsers of this process share the network of the machine. */
let hasWarnedOfNetwork = false;

/** The way in which a browser of this process has got a network of its own. */
let provenMaker: NetworkMaker | undefined;

/** A running browser. */
export interface Chromium {
  connection: CdpConnection;
  /** Its process, or that of its sandbox. */
  pid: number | undefined;
  /**
   * Returns the URL by which one context reaches a proxy, so that its connections count as its own. Absent where
   * the browser has no network of its own, or one context.
   */
  contextProxy?: ((proxyUrl: string) => string) | undefined;
  /**
   * Ends the browser with all its pages.
   * @param graceMs how long it may take to exit by itself, in milliseconds; five seconds by default
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * Starts Chromium as an unprivileged user with its own sandbox, in a network of its own. Where the machine does
 * not allow the sandbox (no user namespaces) or the network (no bubblewrap), Chromium runs without it, and a
 * warning is logged.
 * @throws Error if it does not start, or if it cannot have a network of its own although an earlier one had: the
 *   machine allows it, so it is no reason to do without
 */
export async function launchChromium(options: LaunchOptions): Promise<Chromium> {
  const { logger } = options;
  let networkError: unknown;
  for (const maker of provenMaker ? [provenMaker] : [...networkMakers(), undefined]) {
    try {
      const chromium = await launchWithSandbox(options, maker ? inOwnNetwork(maker) : inSharedNetwork);
      provenMaker ??= maker;
      if (maker === undefined && networkError !== undefined && !hasWarnedOfNetwork) {
        hasWarnedOfNetwork = true;
        logger.warn({ err: networkError }, SHARED_NETWORK_WARNING);
      }
      return chromium;
    } catch (error) {
      if (!(error instanceof NoNetworkError)) throw error;
      networkError = error;
    }
  }
  throw networkError;
}

async function launchWithSandbox(options: LaunchOptions, start: StartProgram): Promise<Chromium> {
  try {
    return await launch(options, start, []);
  } catch (error) {
    if (
      !/no usable sandbox|sandbox_host_linux|zygote_host|Failed to move to new namespace|clone\(\) failure/i.test(
        String(error),
      )
    )
      throw error;
    options.logger.warn(noSandboxWarning());
    return launch(options, start, ['--no-sandbox']);
  }
}

const SHARED_NETWORK_WARNING =
  'Chromium runs in the network of this machine, because bubblewrap cannot give it one of its own here: a page that breaks out of it reaches the ports of this machine. Install the package bubblewrap and allow unprivileged user namespaces.';

/** A browser cannot have a network of its own on this machine. */
class NoNetworkError extends Error {}

/** A program that was started, and its connections to the proxies. */
interface StartedProgram {
  group: ProcessGroup;
  /** Resolves when the proxies can be reached. */
  opened: Promise<void>;
  contextProxy?: Chromium['contextProxy'];
}

/** Starts a browser whose home directory exists. */
type StartProgram = (
  command: readonly [string, ...string[]],
  options: { home: string } & Pick<LaunchOptions, 'proxy' | 'contexts'>,
) => Promise<StartedProgram>;

const inOwnNetwork =
  (maker: NetworkMaker): StartProgram =>
  async (command, { home, proxy, contexts = DEFAULT_CONTEXTS }) => {
    const { group, doors } = startInNetwork(command, {
      maker,
      doors: await proxy.doors(),
      contexts,
      uid: BROWSER_UID,
      home,
    });
    return { group, opened: doors.opened, contextProxy: loopbackHosts() };
  };

const inSharedNetwork: StartProgram = async ([program, ...args], { home, proxy }) => {
  proxy.allowUser(process.getuid?.() || BROWSER_UID);
  const group = startUnprivileged([program, ...args], {
    uid: BROWSER_UID,
    home,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  return { group, opened: Promise.resolve() };
};

async function launch(
  { executablePath, proxy, logger, contexts }: LaunchOptions,
  start: StartProgram,
  flags: string[],
): Promise<Chromium> {
  const home = await createProgramHome('chromium', BROWSER_UID);
  const args = chromiumArguments({ profile: `${home.path}/profile`, proxyUrl: proxy.url });
  const { group, opened, contextProxy } = await start([executablePath, ...args, ...flags], {
    home: home.path,
    proxy,
    ...(contexts !== undefined && { contexts }),
  });
  const removed = once(group.child, 'exit').finally(home.remove);
  // A program that could not be started is reported by `connectChromium`.
  removed.catch(() => undefined);
  const { connection, pid, close } = await connectChromium(group, { name: executablePath, logger }).catch(
    (cause) => {
      throw isNetworkFailure(group, cause) ? new NoNetworkError(messageOf(cause), { cause }) : cause;
    },
  );
  try {
    await opened;
  } catch (cause) {
    await close(0);
    if (cause instanceof MissingDescriptorError) throw cause;
    throw new NoNetworkError(messageOf(cause), { cause });
  }
  return {
    connection,
    pid,
    contextProxy,
    async close(graceMs) {
      await close(graceMs);
      await removed;
    },
  };
}

/** Whether bubblewrap failed or is not installed, and not the browser. */
const isNetworkFailure = ({ child, stderrTail }: ProcessGroup, error: unknown) =>
  child.spawnargs.includes('bwrap') &&
  (/^(?:bwrap: |setpriv: failed to execute bwrap)/m.test(stderrTail()) ||
    ['ENOENT', 'EACCES'].includes(codeOf(error instanceof Error ? error.cause : error) ?? ''));

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
 * @param options.name the name of the program in errors
 * @throws Error with the end of what it wrote if it ends or stays silent for a minute; it is killed then
 */
export async function connectChromium(
  group: ProcessGroup,
  { name, logger }: { name: string; logger: LaunchOptions['logger'] },
): Promise<Chromium> {
  const { child, kill, stderrTail } = group;
  const exited = once(child, 'exit');
  const pipe = { input: child.stdio[3] as Writable, output: child.stdio[4] as Readable };
  const connection = new CdpConnection(pipe, logger);

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
