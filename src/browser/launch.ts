import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logger.ts';
import { createProgramHome } from '../program-home.ts';
import { startUnprivileged } from '../unprivileged-process.ts';
import { type Connection, connect } from './cdp.ts';

/**
 * The user that Chromium runs as when the service runs as root: no account's, in the range that systemd keeps for
 * dynamic users, and not the one that the embedded Postgres runs as.
 */
export const BROWSER_UID = 61_911;

/** What a machine without user namespaces costs, for the operator. */
export const noSandboxWarning = () =>
  `Chromium runs without its own sandbox, because user namespaces are off here: a page that breaks out of it has ${
    process.getuid?.() === 0
      ? 'the rights of a user without an account'
      : 'all rights of the user that Winnow runs as'
  }, instead of none. Allow unprivileged user namespaces (kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0; in a container security_opt, as in docker-compose.yml).`;

/** All traffic goes through the proxy, and by it. */
const NETWORK_FLAGS = [
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  // The proxy resolves names; what goes around it, as WebRTC does for its servers, finds none.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  // It takes away Chromium's own exception: loopback goes through the policy like everything else.
  '--proxy-bypass-list=<-loopback>',
];

/** What belongs to somebody's own browser, and what calls its maker. */
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
  // An address is fetched as it was asked for.
  'HttpsUpgrades',
  ...['Translate', 'OptimizationHints', 'MediaRouter', 'DialMediaRouteProvider', 'GlobalMediaControls'],
  // The first frame of a page is held back for the one before it.
  'PaintHolding',
];

/** Pages that nobody looks at are as awake as the one in front. */
const PAGE_FLAGS = [
  ...['--headless', '--hide-scrollbars', '--disable-gpu', '--disable-dev-shm-usage'],
  ...['--disable-back-forward-cache', '--disable-background-timer-throttling'],
  ...['--disable-backgrounding-occluded-windows', '--disable-renderer-backgrounding'],
  '--force-color-profile=srgb',
  // Else `navigator.webdriver` is true, which many sites take for an attack.
  '--disable-blink-features=AutomationControlled',
  // A mouse, as most visitors have.
  '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4',
];

/** How long a browser may take to speak, and to end when it is told to. */
const STARTING_MS = 60_000;
const ENDING_MS = 5_000;

/** How Chromium is started. */
export interface LaunchOptions {
  executablePath: string;
  /** The egress proxy that all its traffic goes through. */
  proxyUrl: string;
  logger: Pick<Logger, 'warn'>;
}

/** A browser that runs. */
export interface Chromium {
  connection: Connection;
  /** Ends it, and everything that it has open. */
  close(): Promise<void>;
}

/**
 * Starts Chromium unprivileged with its own sandbox on. Where the machine does not let it (no user namespaces), it
 * runs without, and a warning says so.
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
  const command: [string, ...string[]] = [
    executablePath,
    ...['--remote-debugging-pipe', `--user-data-dir=${home.path}/profile`, `--proxy-server=${proxyUrl}`],
    ...[...NETWORK_FLAGS, ...UNWANTED_FLAGS, ...PAGE_FLAGS, ...flags],
    `--disable-features=${UNWANTED_FEATURES.join()}`,
  ];
  const { child, kill, lastWords } = startUnprivileged(command, {
    uid: BROWSER_UID,
    home: home.path,
    // Its protocol's pipe is at 3 and 4.
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit').finally(home.remove);
  const connection = connect({ input: child.stdio[3] as Writable, output: child.stdio[4] as Readable });

  const close = async () => {
    // One that does not hear is killed below.
    connection.browser.send('Browser.close').catch(() => undefined);
    await Promise.race([ended, sleep(ENDING_MS, undefined, { ref: false })]);
    kill();
    await ended;
  };
  try {
    const late = sleep(STARTING_MS, undefined, { ref: false }).then(() => {
      throw new Error(`Chromium said nothing for ${STARTING_MS / 1000} s`);
    });
    await Promise.race([
      listen(connection),
      ended.then(() => {
        throw new Error('Chromium ended');
      }),
      late,
    ]);
  } catch (cause) {
    kill();
    await ended.catch(() => undefined);
    throw new Error(`Chromium (${executablePath}) does not start: ${lastWords() || 'it said nothing'}`, {
      cause,
    });
  }
  return { connection, close };
}

/** Has the browser tell of new pages, which shows also that it is there. */
const listen = ({ browser }: Connection) =>
  browser.send('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }] });
