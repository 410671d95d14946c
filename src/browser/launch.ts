import { chmod, chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import type { Logger } from '../logger.ts';

/**
 * The user that Chromium runs as when the service runs as root: no account's, in the range that systemd keeps for
 * dynamic users, and not the one that the embedded Postgres runs as.
 */
const BROWSER_UID = 61_911;

const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  // The proxy resolves names; what goes around it, as WebRTC does for its servers, finds none.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--hide-scrollbars',
  // Else `navigator.webdriver` is true, which many sites take for an attack.
  '--disable-blink-features=AutomationControlled',
];

/** Listens for multicast in the network as soon as a page uses WebRTC. */
const UNWANTED_FEATURE = 'WebRtcHideLocalIpsWithMdns';

/** Where a browser keeps its files for as long as it runs: the prefix, the worker's pid, and something unique. */
const HOME_PREFIX = 'winnow-chromium-';

/** How Chromium is started. */
export interface LaunchOptions {
  executablePath: string;
  /** The egress proxy that all its traffic goes through. */
  proxyUrl: string;
  logger: Logger;
}

/**
 * Starts Chromium unprivileged with its own sandbox on. Where the machine does not let it (no user namespaces), it
 * runs without, and a warning says so.
 */
export async function launchChromium(options: LaunchOptions): Promise<Browser> {
  try {
    return await launch(options, true);
  } catch (error) {
    if (
      !/no usable sandbox|sandbox_host_linux|zygote_host|Failed to move to new namespace|clone\(\) failure/i.test(
        String(error),
      )
    )
      throw error;
    options.logger.warn('Chromium cannot use its sandbox here (user namespaces are off); it runs without it');
    return launch(options, false);
  }
}

async function launch(
  { executablePath, proxyUrl }: LaunchOptions,
  chromiumSandbox: boolean,
): Promise<Browser> {
  await sweepHomes();
  const home = await mkdtemp(path.join(tmpdir(), `${HOME_PREFIX}${process.pid}-`));
  const remove = () => rm(home, { recursive: true, force: true });
  try {
    const browser = await chromium.launch({
      executablePath: await wrapper(home, executablePath),
      chromiumSandbox,
      args: FLAGS,
      // `<-loopback>` takes away Chromium's own exception: loopback goes through the policy like everything else.
      proxy: { server: proxyUrl, bypass: '<-loopback>' },
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, TMPDIR: home },
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    browser.on('disconnected', () => void remove());
    return browser;
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Removes what browsers of workers that were killed left behind; the name says whose a directory is. */
async function sweepHomes(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = name.startsWith(HOME_PREFIX) ? Number.parseInt(name.slice(HOME_PREFIX.length), 10) : 0;
    if (owner && !isAlive(owner)) await rm(path.join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * A script that becomes Chromium. As root it sheds root's rights first, for Playwright cannot start another user's
 * process. Of several `--disable-features` Chromium takes the last only, so ours goes into Playwright's.
 */
async function wrapper(home: string, executablePath: string): Promise<string> {
  const script = path.join(home, 'chromium');
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const isRoot = process.getuid?.() === 0;
  const shed = `setpriv --reuid=${BROWSER_UID} --regid=${BROWSER_UID} --clear-groups --inh-caps=-all `;
  const lines = [
    '#!/bin/sh',
    `for each do shift; case $each in --disable-features=*) each=$each,${UNWANTED_FEATURE};; esac; set -- "$@" "$each"; done`,
    `exec ${isRoot ? shed : ''}${quoted(executablePath)} "$@" --user-data-dir=${quoted(`${home}/profile`)}`,
  ];
  await writeFile(script, `${lines.join('\n')}\n`);
  await chmod(script, 0o755);
  if (isRoot) await chown(home, BROWSER_UID, BROWSER_UID);
  return script;
}
