import { randomUUID } from 'node:crypto';
import { chromium as playwright } from 'playwright';
import { WebSocket } from 'ws';
import type { Random } from '../../site/random.ts';
import type { Findings } from '../findings.ts';
import type { SessionClient } from './session-client.ts';

/** What a user of sessions needs. */
export interface SessionUser {
  client: SessionClient;
  random: Random;
  findings: Findings;
  /** URL of a page with a title. */
  pageUrl: string;
  /** Name of a profile that nobody else uses. */
  profile: string;
}

const CONNECT_MS = 20_000;
/** One session in this many is left to end by its activityTtl. */
const LEFT_BEHIND = 5;
/** One session in this many saves a profile. */
const WITH_PROFILE = 3;

/** Opens a session, uses it in several ways until one fails, and deletes it or leaves it behind. */
export async function useOneSession(user: SessionUser): Promise<void> {
  const { client, random, findings } = user;
  const profile = random.whole(WITH_PROFILE) === 0 ? { name: user.profile } : undefined;
  const created = await client.ask('/v2/browser', {
    body: { ttl: 120, activityTtl: 10, ...(profile && { profile }) },
    // A repeated request returns the same session.
    headers: { 'x-idempotency-key': randomUUID() },
  });
  if ('refused' in created) return;
  findings.count('sessions');
  const { id, cdpUrl, interactiveLiveViewUrl } = created.body;
  const path = `/v2/browser/${String(id)}`;
  const uses = [
    () => executeCode(path, 'node', user),
    () => executeCode(path, 'python', user),
    () => executeCode(path, 'bash', user),
    () => drive(String(cdpUrl), user),
    () => watch(String(interactiveLiveViewUrl), user),
  ];
  for (let count = 2 + random.whole(4); count > 0; count--) if (!(await random.pick(uses)())) break;
  if (random.whole(LEFT_BEHIND) > 0) await client.ask(path, { method: 'DELETE' });
}

/** Executes code. @returns whether it was executed; a wrong result is a finding */
async function executeCode(
  path: string,
  language: string,
  { client, random, findings }: SessionUser,
): Promise<boolean> {
  const sum = random.whole(1_000);
  const code = language === 'bash' ? `printf $((${sum} + 1))` : `${sum} + 1`;
  const outcome = await client.try(`${path}/execute`, { body: { code, language, timeout: 20 } });
  if (!outcome || 'refused' in outcome) return false;
  const { exitCode, result } = outcome.body;
  if (exitCode !== 0) findings.count('calls that were killed');
  else if (result !== String(sum + 1)) findings.wrong(`${path}: ${code} is ${String(result)} in ${language}`);
  else findings.count('calls');
  return true;
}

/** Opens a page with Playwright. @returns whether that worked */
async function drive(cdpUrl: string, { pageUrl, findings }: SessionUser): Promise<boolean> {
  try {
    const browser = await playwright.connectOverCDP(cdpUrl, { timeout: CONNECT_MS });
    try {
      const context = browser.contexts()[0];
      const page = context?.pages()[0] ?? (await context?.newPage());
      await page?.goto(pageUrl, { timeout: CONNECT_MS });
      findings.count('pages opened by Playwright');
    } finally {
      await browser.close();
    }
    return true;
  } catch {
    findings.count('visits of Playwright that broke off');
    return false;
  }
}

/** Opens the live view, and moves the mouse in it. @returns whether there was a message */
async function watch(viewUrl: string, { findings }: SessionUser): Promise<boolean> {
  const socket = new WebSocket(viewUrl.replace('http', 'ws'));
  const outcome = await new Promise<'seen' | 'closed' | 'nothing'>((resolve) => {
    setTimeout(() => resolve('nothing'), CONNECT_MS);
    socket.on('error', () => resolve('closed')).on('close', () => resolve('closed'));
    socket.once('message', () => resolve('seen'));
  });
  if (outcome === 'nothing') findings.wrong('a live view neither showed anything nor closed');
  findings.count(`live views: ${outcome}`);
  socket.terminate();
  return outcome === 'seen';
}
