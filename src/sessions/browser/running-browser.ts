import type { Chromium } from '../../fetch/browser/chromium/launch-chromium.ts';
import type { Appearance } from '../../fetch/browser/device-emulation.ts';
import type { RouteProxy } from '../../fetch/net/egress-proxy.ts';
import type { CodeRunner } from '../code/code-runner.ts';
import type { SessionDirectory } from '../session-directory.ts';
import type { ExceededLimit } from './browser-limits.ts';

/** The proxy by which the browsers of sessions reach sites. */
export type SessionProxy = Pick<RouteProxy, 'serve' | 'failureOf'>;

/** A browser that runs in a sandbox, with its directory and the programs that execute code on it. */
export interface RunningBrowser {
  chromium: Chromium;
  directory: SessionDirectory;
  code: CodeRunner;
  /** Resolves when it uses too much. The host has begun to end it then. */
  exceeded: Promise<ExceededLimit>;
  /** Whether the page of the scrape that the session continues is open in it. */
  hasPage?: boolean;
  /** The visitor that its pages see: the one that it was started as, or that of the scrape. */
  visitor: Appearance;
  /** IANA name of the time zone in which it was started. */
  timezone: string;
  /** The proxy by which it reaches sites. */
  proxy: SessionProxy;
}

/** Ends a browser that no session uses, and deletes its directory. */
export async function endBrowser({ chromium, directory, code }: RunningBrowser): Promise<void> {
  await code.close('The browser has ended.');
  await chromium.close();
  await directory.remove();
}
