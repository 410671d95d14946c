import { readConfig } from '../../src/config.ts';
import { wholeText } from '../../src/content/source-text.ts';
import { ServiceError } from '../../src/errors.ts';
import { BrowserPool } from '../../src/fetch/browser/chromium/browser-pool.ts';
import type { Session } from '../../src/fetch/browser/chromium/cdp.ts';
import { launchChromium } from '../../src/fetch/browser/chromium/launch-chromium.ts';
import { createBrowserEngine } from '../../src/fetch/engines/browser-engine.ts';
import { PLAIN_PAGE } from '../../src/fetch/engines/engine.ts';
import { createEgress } from '../../src/fetch/net/checked-egress.ts';
import { startEgressProxy } from '../../src/fetch/net/egress-proxy.ts';
import { USER_AGENT } from '../../src/fetch/net/user-agent.ts';
import { findChromium } from '../../src/run/embedded/chromium.ts';
import { openBlobs } from '../../src/storage/blobs/index.ts';
import { createLogger } from '../../src/system/logger.ts';
import { measure } from '../figures.ts';
import { DOOMED, isRead, kindOf } from './mix.ts';
import type { WorkerTask } from './soak.ts';

/** Opens pages like a worker, reports the outcome of each, closes everything and exits. */

const PAGE_MS = 10_000;
/** Milliseconds after which the tab of a doomed page crashes. */
const DOOM_MS = 300;
const COLLECTED_EVERY = 50;

process.once('disconnect', () => process.exit(1));
// soak() passes this argument.
const task = JSON.parse(process.argv[2]!) as WorkerTask;
const logger = createLogger('soak', 'error');
const egress = createEgress({ allowPrivate: ['127.0.0.0/8'], dns: task.dns });
const proxy = await startEgressProxy(egress);
const { path: executablePath } = await findChromium(readConfig());
const pool = new BrowserPool({
  launch: () => launchChromium({ executablePath, proxy, logger }),
  logger,
  contexts: task.atOnce,
  limits: { uses: task.uses },
});
const engine = createBrowserEngine({
  pool: crashing(pool),
  egress,
  proxy,
  blobs: await openBlobs(task.directory, 'results'),
  userAgent: USER_AGENT,
  maxBodyBytes: 50 * 1024 * 1024,
  adBlocker: undefined,
  logger,
  profiles: { open: () => Promise.reject(new Error('no profile was asked for')) },
});

await measure(task.pages, task.atOnce, async (n) => {
  const outcome = await visit(n);
  if (task.collect && n % COLLECTED_EVERY === 0) globalThis.gc?.();
  process.send!({ n, outcome, heapMb: process.memoryUsage().heapUsed / 1024 / 1024 });
});
await pool.close();
await Promise.all([proxy.close(), egress.close()]);
// Exits at once, like a worker, even if something is still running.
process.exit();

async function visit(n: number): Promise<string> {
  const url = kindOf(n).url(task.sites, n);
  const late = new ServiceError('SCRAPE_TIMEOUT', `${url} took longer than ${PAGE_MS} ms`);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(late), PAGE_MS);
  try {
    const page = { ...PLAIN_PAGE, sourceUrl: url, url, skipTlsVerification: false };
    const { statusCode, text } = await engine.fetchPage(page, deadline.signal);
    if (statusCode !== 200) return `status ${statusCode}`;
    return isRead(wholeText(text), n) ? 'read' : 'without its text';
  } catch (error) {
    if (!(error instanceof ServiceError)) return String(error);
    return /crashed/.test(error.message) ? `${error.code} crashed` : error.code;
  } finally {
    clearTimeout(timer);
  }
}

/** Wraps the pool so that the tabs of doomed pages crash. */
function crashing(pool: BrowserPool): Pick<BrowserPool, 'lease'> {
  return {
    lease: (options, use, signal) =>
      pool.lease(
        options,
        (context, endLoading) => {
          const crashingContext = {
            ...context,
            async openPage() {
              const opened = await context.openPage();
              doom(opened.session);
              return opened;
            },
          };
          return use(crashingContext, endLoading);
        },
        signal,
      ),
  };
}

function doom(session: Session): void {
  session.on('Page.frameNavigated', async ({ frame }) => {
    if (frame.parentId || !frame.url.includes(DOOMED)) return;
    await new Promise((resolve) => setTimeout(resolve, DOOM_MS));
    // The call never succeeds, because the tab is gone.
    session.send('Page.crash').catch(() => undefined);
  });
}
