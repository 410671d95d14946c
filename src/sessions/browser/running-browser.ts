import type { EmulateVisitor } from '../../fetch/browser/chromium/browsing-context.ts';
import type { Chromium } from '../../fetch/browser/chromium/launch-chromium.ts';
import type { CodeRunner } from '../code/code-runner.ts';
import type { SessionDirectory } from '../session-directory.ts';
import type { ExceededLimit } from './browser-limits.ts';

/** A browser that runs in a sandbox, with its directory and the programs that execute code on it. */
export interface RunningBrowser {
  chromium: Chromium;
  directory: SessionDirectory;
  code: CodeRunner;
  /** Resolves when it uses too much. The host has begun to end it then. */
  exceeded: Promise<ExceededLimit>;
  /** Whether the page of the scrape that the session continues is open in it. */
  hasPage?: boolean;
  /** Makes further tabs see the visitor of that scrape. */
  emulateVisitor?: EmulateVisitor;
}

/** Ends a browser that no session uses, and deletes its directory. */
export async function endBrowser({ chromium, directory, code }: RunningBrowser): Promise<void> {
  await code.close('The browser has ended.');
  await chromium.close();
  await directory.remove();
}
