import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright';
import { readConfig } from '../../src/config.ts';
import { wholeText } from '../../src/content/source-text.ts';
import { BrowserPool } from '../../src/fetch/browser/chromium/browser-pool.ts';
import { launchChromium } from '../../src/fetch/browser/chromium/launch-chromium.ts';
import { MAX_LOADING_PAGES } from '../../src/fetch/browser/chromium/open-pages.ts';
import { createBrowserEngine } from '../../src/fetch/engines/browser-engine.ts';
import { PLAIN_PAGE } from '../../src/fetch/engines/engine.ts';
import { createEgress } from '../../src/fetch/net/checked-egress.ts';
import { startEgressProxy } from '../../src/fetch/net/egress-proxy.ts';
import { USER_AGENT } from '../../src/fetch/net/user-agent.ts';
import { findChromium } from '../../src/run/embedded/chromium.ts';
import { openBlobs } from '../../src/storage/blobs/index.ts';
import { createLogger } from '../../src/system/logger.ts';
import { unprivileged } from './unprivileged.ts';
import { inLanes, serveVisitor, type VisitorTask } from './visitors.ts';

/** Opens pages with the visitor that the first argument names; see `visitors.ts`. */
const [name = '', text = ''] = process.argv.slice(2);
const task = JSON.parse(text) as VisitorTask;
const { path: executablePath } = await findChromium(readConfig());

const directory = await mkdtemp(path.join(tmpdir(), 'winnow-bench-'));
if (name.startsWith('engine')) await visitWithEngine();
else await visitWithPlaywright();
await rm(directory, { recursive: true, force: true });
process.exit();

async function visitWithEngine(): Promise<void> {
  const logger = createLogger('bench', 'warn');
  const egress = createEgress({ allowPrivate: ['127.0.0.0/8'] });
  const proxy = await startEgressProxy(egress);
  const pool = new BrowserPool({
    launch: () => launchChromium({ executablePath, proxy, logger }),
    logger,
    contexts: task.atOnce,
    loading: Math.min(task.atOnce, MAX_LOADING_PAGES),
  });
  const engine = createBrowserEngine({
    pool,
    egress,
    proxy,
    blobs: await openBlobs(directory, 'results'),
    userAgent: USER_AGENT,
    maxBodyBytes: 50 * 1024 * 1024,
    adBlocker: undefined,
    logger,
    profiles: { open: () => Promise.reject(new Error('no profile was asked for')) },
  });
  const open = async (url: string) => {
    const request = {
      ...PLAIN_PAGE,
      sourceUrl: url,
      url,
      sharedBy: name === 'engine-job' ? name : undefined,
    };
    const page = await engine.fetchPage(request, AbortSignal.timeout(60_000));
    return wholeText(page.text);
  };
  await serveVisitor(task, inLanes(task.atOnce, open));
  await pool.close();
}

async function visitWithPlaywright(): Promise<void> {
  const isTold = name.startsWith('playwright-told');
  const chromiumSandbox = !name.endsWith('-unsandboxed');
  const browser = await chromium.launch({
    executablePath: chromiumSandbox ? await unprivileged(directory, executablePath) : executablePath,
    chromiumSandbox,
    // There is no egress policy here, so Chromium may contact only the site.
    args: ['--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1'],
  });
  const open = async (url: string) => {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(url, { waitUntil: isTold ? 'load' : 'networkidle' });
      if (isTold) await page.waitForSelector('article p');
      return await page.content();
    } finally {
      await context.close();
    }
  };
  await serveVisitor(task, inLanes(task.atOnce, open));
  await browser.close();
}
