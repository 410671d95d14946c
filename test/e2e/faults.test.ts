import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { Firecrawl } from 'firecrawl';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MAX_OPEN_PAGES } from '../../src/fetch/browser/chromium/open-pages.ts';
import type { Database } from '../../src/storage/db/client.ts';
import { listProfiles } from '../../src/storage/db/teams/profiles.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { textLines, writePdf } from '../content/parsers/pdf/pdf-writer.ts';
import { type ApiResponse, call, scrape } from '../support/api/call.ts';
import { startJob, untilStatus } from '../support/api/jobs.ts';
import { htmlFile, parse } from '../support/api/parse.ts';
import { chromiumProcesses, documentProcesses, sendSignal } from '../support/processes/service-processes.ts';
import { useService } from '../support/service/use-service.ts';
import { HOLD, LOGGED_IN, type LoginSite, startLoginSite } from '../support/sites/login-site.ts';
import { startPages } from '../support/sites/pages.ts';
import { makeTeam, openTestDatabase, type TestTeam } from '../support/storage/database.ts';
import { describeInFullRun, itInFullRun } from '../support/suite/corpus.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { unlessMissing } from '../support/workflows/histories.ts';

/**
 * Parts of the service that are stopped, killed or taken up as a whole. The vitest project of this file has a
 * service of its own, because other files would notice.
 */

const service = useService();

function workerPid(): number {
  const pid = service.readRunFile().children.worker?.pid;
  if (!pid) throw new Error('The run file names no worker');
  return pid;
}

/** Waits until `/ready` answers with this status. @returns the body of that response */
function readyWith(status: number): Promise<ApiResponse['body']> {
  return pollUntil(async () => {
    const response = await call('/ready', { key: null });
    return response.status === status && response.body;
  });
}

describe('before anything fails,', async () => void (await import('./worker-log.ts')));

describe('/ready of the API', () => {
  let stopped: number | undefined;
  afterEach(async () => {
    if (stopped) process.kill(stopped, 'SIGCONT');
    stopped = undefined;
    await readyWith(200);
  });

  it('becomes 503 when the only worker hangs, and 200 when it continues', async () => {
    stopped = workerPid();
    process.kill(stopped, 'SIGSTOP');
    const { status, parts } = await readyWith(503);
    expect(status).toBe('not ready');
    expect(parts).toMatchObject({ database: 'ok', temporal: 'ok', worker: expect.stringMatching(/./) });
    expect(parts.worker).not.toBe('ok');
    // A worker counts as gone some seconds after its last report.
    await pollUntil(async () =>
      (await readyWith(503)).parts.workers.includes('No worker polls for the roles scrape, pages, webhooks'),
    );
    process.kill(stopped, 'SIGCONT');
    await readyWith(200);
  });

  it('is 503 from the shutdown of the only worker until the next one can scrape', async () => {
    await using pages = await startPages({ '/': '<main><p>Ready</p></main>' });
    const pid = workerPid();
    process.kill(pid, 'SIGTERM');
    await readyWith(503);
    await readyWith(200);
    expect(workerPid()).not.toBe(pid);
    expect((await scrape({ url: `${pages.url}/` })).status).toBe(200);
  });
});

describe.runIf(process.platform === 'linux')('a page in a browser that is killed', () => {
  const page = (text: string) => `<!doctype html><title>Test</title><main><p>${text}</p></main>`;

  async function markdownOf(url: string): Promise<string> {
    const { body } = await scrape({ url, waitFor: 1, maxAge: 0 });
    expect(body, JSON.stringify(body)).toMatchObject({ success: true });
    return body.data.markdown;
  }

  it('fails alone when only its tab is killed', async () => {
    await using pages = await startPages({ '/': page('Doomed'), '/next': page('The next one') });
    // Starts the browser, if it has ended because nothing used it.
    expect(await markdownOf(`${pages.url}/next`)).toContain('The next one');
    const before = new Set(chromiumProcesses().map(({ pid }) => pid));
    const doomed = scrape({ url: `${pages.url}/`, waitFor: 30_000, maxAge: 0 });
    const tab = await pollUntil(() => {
      if (!pages.requests.some(({ path }) => path === '/')) return undefined;
      const renderers = chromiumProcesses().filter(({ command }) => /--type=renderer/.test(command));
      return renderers.find(({ pid }) => !before.has(pid))?.pid;
    });
    process.kill(tab, 'SIGKILL');
    const { status, body } = await doomed;
    expect([status, body.code]).toEqual([500, 'SCRAPE_SITE_ERROR']);
    expect(body.error).toContain('crashed');
    expect(await markdownOf(`${pages.url}/next`)).toContain('The next one');
  });

  it('is read by another browser', async () => {
    await using pages = await startPages({ '/': page('Alive') });
    expect(await markdownOf(pages.url)).toContain('Alive');
    const [browser] = chromiumProcesses().filter(({ command }) => !/--type=/.test(command));
    process.kill(browser!.pid, 'SIGKILL');
    expect(await markdownOf(pages.url)).toContain('Alive');
    expect(chromiumProcesses().map(({ pid }) => pid)).not.toContain(browser!.pid);
  });
});

describeInFullRun('a browser profile of a worker that is killed', () => {
  let db: Database;
  let team: TestTeam;
  let site: LoginSite;
  beforeAll(async () => {
    db = openTestDatabase();
    site = await startLoginSite();
  });
  beforeEach(async () => {
    team = await makeTeam(db);
  });
  afterAll(async () => {
    await site[Symbol.asyncDispose]();
    await db.close();
  });

  const open = (path: string, options: Record<string, unknown>) =>
    call('/v2/scrape', { key: team.key, body: { url: site.url + path, ...options } });
  const ada = (saveChanges?: boolean) => ({ profile: { name: 'ada', saveChanges } });

  async function home(options: Record<string, unknown>): Promise<unknown> {
    const { body } = await open('/home', options);
    expect(body, JSON.stringify(body)).toMatchObject({ success: true });
    const shown = /found (.*)$/m.exec(body.data.markdown)?.[1]?.replaceAll('\\', '');
    return JSON.parse(shown ?? 'null');
  }

  it('is taken over by the next attempt, with its last checkpoint', async () => {
    const answer = open('/login', { ...ada(), ...HOLD, timeout: 120_000 });
    await pollUntil(async () => (await listProfiles(db, team.id))[0]?.saved_at);
    const held = site.nextHold();
    process.kill(workerPid(), 'SIGKILL');
    // The next attempt has the page open again, which shows that it has the lease.
    await held;
    expect(await home(ada(false))).toEqual(LOGGED_IN);
    site.release();
    expect((await answer).body).toMatchObject({ success: true });
    expect(await home(ada())).toEqual(LOGGED_IN);
  }, 180_000);
});

describeInFullRun('a parse whose worker is killed', () => {
  it('is continued by the next worker with the file that was uploaded, and billed once', async () => {
    await using db = openDisposable();
    const team = await makeTeam(db, { credits: 10, concurrency: 1 });
    let finish: () => void = () => undefined;
    await using pages = await startPages({
      '/held': (_request, response) => {
        finish = () => void response.end('<h1>Held</h1>');
      },
    });
    // The only slot of the team is taken, so that the activity of the parse has begun but cannot end.
    const held = call('/v2/scrape', {
      key: team.key,
      body: { url: `${pages.url}/held`, timeout: 120_000, fastMode: true },
    });
    await pollUntil(() => pages.requests.length > 0);
    const parsed = parse(htmlFile('Survivor'), { timeout: 120_000 }, team);
    const waitsForSlot = () =>
      db.query.selectFrom('slot_waits').select('holder').where('team_id', '=', team.id).executeTakeFirst();
    const wait = await pollUntil(waitsForSlot);
    const uploads = () =>
      db.query.selectFrom('uploads').select('job_id').where('team_id', '=', team.id).execute();
    expect(await uploads()).toEqual([{ job_id: wait.holder }]);
    const killed = workerPid();
    process.kill(killed, 'SIGKILL');
    // Either of the two jobs may get the free slot first, so the parse may end before the page is requested
    // again.
    const heldAgain = pages.requests.length;
    await pollUntil(() => pages.requests.length > heldAgain);
    finish();
    const { body } = await parsed;
    expect(body.data?.markdown, JSON.stringify(body)).toContain('# Survivor');
    expect((await held).status).toBe(200);
    expect(workerPid()).not.toBe(killed);
    expect(await uploads()).toEqual([]);
    const usage = await call('/v2/team/credit-usage', { key: team.key });
    expect(usage.body.data.remainingCredits).toBe(8);
  }, 180_000);
});

describe('a document that takes longer than the timeout', () => {
  const pageOf = (number: number, lines = 10) => ({
    texts: textLines(
      72,
      80,
      Array(lines).fill(`Page ${number} of a long book has lines of text like this one.`),
    ),
  });
  const content = new Uint8Array(writePdf([pageOf(1), pageOf(2)]));
  const options = { parsers: [{ type: 'pdf', mode: 'ocr' }] };

  /** Stops the processes that convert documents, so that a conversion takes as long as a test needs. */
  async function stopConversions() {
    // Afterwards its process is warm and gets the next conversion.
    expect((await parse({ content, name: 'warm.pdf' })).status).toBe(200);
    const stopped = documentProcesses();
    expect(stopped).not.toEqual([]);
    sendSignal(stopped, 'SIGSTOP');
    const resume = () => sendSignal(stopped.splice(0), 'SIGCONT');
    return { resume, [Symbol.dispose]: resume };
  }

  const idIn = ({ error }: ApiResponse['body']) => /\/v2\/scrape\/([\w-]+)/.exec(error)?.[1];

  it('is converted on, and the repeated request gets its result', async () => {
    await using pages = await startPages({
      '/book.pdf': (_request, response) =>
        void response.writeHead(200, { 'Content-Type': 'application/pdf' }).end(content),
    });
    const request = { url: `${pages.url}/book.pdf`, ...options };
    using conversions = await stopConversions();
    const early = await scrape({ ...request, timeout: 10_000 });
    expect(early.status).toBe(408);
    expect(early.headers.get('retry-after')).toBe('30');
    expect(early.body).toMatchObject({
      success: false,
      code: 'SCRAPE_TIMEOUT',
      details: { state: 'processing_continues', jobStatus: 'running', retryAfterSeconds: 30 },
    });
    const late = scrape({ ...request, timeout: 300_000 });
    conversions.resume();
    const { data } = (await late).body;
    expect(data.metadata).toMatchObject({ scrapeId: idIn(early.body), numPages: 2, creditsUsed: 2 });
    expect(data.markdown).toMatch(/Page 2 of a long book/);
  }, 300_000);

  it('is reported to the official client before that ends its request itself', async () => {
    using conversions = await stopConversions();
    const winnow = new Firecrawl({ apiKey: service.key, apiUrl: service.url });
    const file = { data: content, filename: 'another book.pdf', contentType: 'application/pdf' };
    const error = await winnow
      .parse(file, { timeout: 10_000, parsers: [{ type: 'pdf', mode: 'ocr' }] })
      .catch(String);
    conversions.resume();
    expect(error).toContain('another book.pdf was not parsed within 10000 ms. The work continues');
  }, 300_000);

  itInFullRun(
    'says how far it is while its text is recognised, in the response and in the Temporal UI',
    async () => {
      await using db = openDisposable();
      const { id: teamId, key } = await makeTeam(db);
      const long = new Uint8Array(writePdf(Array.from({ length: 20 }, (_, page) => pageOf(page + 1, 50))));
      const early = parse({ content: long, name: 'book.pdf' }, { ...options, timeout: 60_000 }, { key });
      const { id } = await pollUntil(() =>
        db.query.selectFrom('jobs').select('id').where('team_id', '=', teamId).executeTakeFirst(),
      );
      const { pages } = await pollUntil(async () => {
        const progress = await progressOf(`scrape/${id}`);
        return progress && progress.pagesDone > 0 && progress;
      });
      expect(pages).toBe(20);
      const stopped = documentProcesses();
      sendSignal(stopped, 'SIGSTOP');
      const { status, body, headers } = await early;
      // The timeout of the document may have ended its process.
      sendSignal(stopped, 'SIGCONT');
      expect([status, body.details]).toMatchObject([
        408,
        {
          state: 'processing_continues',
          jobStatus: 'running',
          documentPages: 20,
          mayExceedProcessingWindow: false,
        },
      ]);
      expect(body.details.estimatedRemainingSeconds).toBeGreaterThan(0);
      expect(headers.get('retry-after')).toBe(String(body.details.retryAfterSeconds));
      // The rest of it would take long. It is tried once more when its process dies.
      await pollUntil(async () => {
        sendSignal(documentProcesses(), 'SIGKILL');
        return (await call(`/v2/scrape/${id}`, { key })).body.status !== 'scraping';
      });
    },
    300_000,
  );

  itInFullRun(
    'is parsed on as an uploaded file, and sending it again gets its result',
    async () => {
      const file = { content, name: 'book.pdf' };
      using conversions = await stopConversions();
      const early = await parse(file, { ...options, timeout: 10_000 });
      expect([early.status, early.headers.get('retry-after')]).toEqual([408, '30']);
      expect(early.body).toMatchObject({
        code: 'SCRAPE_TIMEOUT',
        details: { state: 'processing_continues' },
      });
      expect(early.body.error).toContain('book.pdf');
      const other = await parse(htmlFile('Another', 'book.pdf'), { ...options, timeout: 300_000 });
      expect(other.body.data.metadata.scrapeId).not.toBe(idIn(early.body));
      const late = parse(file, { ...options, timeout: 300_000 });
      conversions.resume();
      const { metadata } = (await late).body.data;
      expect(metadata).toMatchObject({ scrapeId: idIn(early.body), numPages: 2, creditsUsed: 2 });
    },
    300_000,
  );

  it('of a batch is finished after the timeout of its page', async () => {
    const served = Promise.withResolvers<void>();
    await using pages = await startPages({
      '/book.pdf'(_request, response) {
        response.writeHead(200, { 'Content-Type': 'application/pdf' }).end(content);
        served.resolve();
      },
    });
    using conversions = await stopConversions();
    const path = '/v2/batch/scrape';
    const id = await startJob(path, { urls: [`${pages.url}/book.pdf`], timeout: 1_000, ...options });
    await served.promise;
    // Long after the timeout, nothing has ended.
    await sleep(8_000);
    expect((await call(`${path}/${id}`)).body).toMatchObject({ status: 'scraping', completed: 0 });
    conversions.resume();
    const body = await untilStatus(`${path}/${id}`, ({ status }) => status !== 'scraping');
    expect(body).toMatchObject({ status: 'completed', completed: 1, creditsUsed: 2 });
    expect(body.data[0].markdown).toMatch(/Page 2 of a long book/);
  }, 300_000);
});

describeInFullRun('a batch that takes up the whole browser', () => {
  const BATCH = '/v2/batch/scrape';
  it('waits for the browser outside the timeout of its pages, and claims no more pages than can be open', async () => {
    await using db = openDisposable();
    const rounds = 4;
    const page = '<html><body><h1>Open in the browser</h1></body></html>';
    await using pages = await startPages({ '/': page }, '0.0.0.0');
    const { port } = new URL(pages.url);
    const urls = Array.from(
      { length: rounds * MAX_OPEN_PAGES },
      (_, n) => `http://127.0.0.${n + 2}:${port}/`,
    );
    const team = await makeTeam(db, { concurrency: 200 });
    // The last round begins when the timeout of a page would be over; a single page may take much longer than
    // it waits.
    const id = await startJob(BATCH, { urls, maxAge: 0, waitFor: 16_000, timeout: 47_000 }, team);
    let most = 0;
    const done = await untilStatus(
      `${BATCH}/${id}`,
      ({ status }) => {
        void call('/v2/concurrency-check', { key: team.key }).then(({ body }) => {
          most = Math.max(most, body.concurrency);
        });
        return status !== 'scraping';
      },
      team,
    );
    expect((await call(`${BATCH}/${id}/errors`, team)).body.errors).toEqual([]);
    expect(done).toMatchObject({ status: 'completed', completed: rounds * MAX_OPEN_PAGES });
    expect(most).toBe(MAX_OPEN_PAGES);
    const last = done.data.at(-1).metadata;
    expect(last.concurrencyLimited).toBe(true);
    expect(last.concurrencyQueueDurationMs).toBeGreaterThan(47_000);
  }, 300_000);
});

/** The database of the service, closed at the end of the test. */
function openDisposable(): Database & AsyncDisposable {
  const db = openTestDatabase();
  return { ...db, [Symbol.asyncDispose]: () => db.close() };
}

/** What the Temporal UI shows of the progress of the activity that runs; `undefined` if it shows nothing. */
async function progressOf(workflowId: string): Promise<{ pagesDone: number; pages?: number } | undefined> {
  const connection = await connectTemporal(service.temporalAddress);
  const workflow = new Client({ connection }).workflow.getHandle(workflowId);
  // The job is stored before its workflow starts.
  const found = await workflow.describe().catch(unlessMissing);
  await connection.close();
  const data = found?.raw.pendingActivities?.[0]?.heartbeatDetails?.payloads?.[0]?.data;
  return data ? JSON.parse(Buffer.from(data).toString()) : undefined;
}

// Files that kill parts of the service as well share it with this one, which runs them one after the other.
describe('a parser that is killed', async () => void (await import('./killed-parser.ts')));
describe('interact with a live page', async () => void (await import('./interact-live-page.ts')));
describe('the live view', async () => void (await import('./live-view.ts')));
describe('a team that attacks', async () => void (await import('./attacks.ts')));
describe('a service that is cut off from its database', async () =>
  void (await import('./cut-off-database.ts')));
