import { describe, expect, it } from 'vitest';
import { call } from '../../support/api/call.ts';
import { callTool, connectClient, VERSIONS } from '../../support/mcp/client.ts';
import { sendMessage } from '../../support/mcp/messages.ts';
import { useService } from '../../support/service/use-service.ts';
import { startPages } from '../../support/sites/pages.ts';
import { makeTeam, useDatabase } from '../../support/storage/database.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/** Jobs that tools start: waited for, followed as tasks, and cancelled. */

useService();
const db = useDatabase();

const SITE = { '/': '<a href="/a">a</a><a href="/b">b</a>', '/a': '<p>Page A</p>', '/b': '<p>Page B</p>' };

/** The jobs of a team that have not ended, as the database knows them. */
const runningJobs = (teamId: string) =>
  db.query
    .selectFrom('jobs')
    .select(['id', 'kind'])
    .where('team_id', '=', teamId)
    .where('status', '=', 'scraping')
    .execute();

describe.each(VERSIONS)('a call by the Model Context Protocol %s', (version) => {
  it('waits for a crawl, tells its progress and returns its documents', async () => {
    await using site = await startPages(SITE);
    await using client = await connectClient(version);
    const progress: number[] = [];
    const { structured } = await callTool(
      client,
      'firecrawl_crawl',
      { url: site.url, sitemap: 'skip' },
      { onprogress: (each) => progress.push(each.progress) },
    );
    expect(structured).toMatchObject({ status: 'completed', completed: 3, id: expect.any(String) });
    expect(JSON.stringify(structured)).toContain('Page B');
    expect(progress.length).toBeGreaterThan(0);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    const again = await callTool(client, 'firecrawl_check_crawl_status', { id: structured.id });
    expect(again.structured).toEqual(structured);
  });

  it('waits for an extract', async () => {
    await using site = await startPages({ '/': '<title>Notes</title><p>Words</p>' });
    await using client = await connectClient(version);
    const schema = { type: 'object', properties: { title: { type: 'string' } } };
    const { structured } = await callTool(client, 'firecrawl_extract', { urls: [site.url], schema });
    expect(structured).toMatchObject({ status: 'completed', data: { title: 'Notes' } });
    const read = await callTool(client, 'firecrawl_agent_status', { id: structured.id });
    expect(read.structured).toEqual(structured);
  });

  it('leaves nothing running when twenty are cancelled halfway', async () => {
    const team = await makeTeam(db);
    await using site = await startPages({ '/': '<p>Quick</p>', '/held': () => undefined });
    await using client = await connectClient(version, { key: team.key });
    const cancellation = new AbortController();
    const calls = Array.from({ length: 20 }, (_, n) =>
      client.callTool(
        n % 5 === 0
          ? { name: 'firecrawl_crawl', arguments: { url: `${site.url}/held?${n}`, ignoreRobotsTxt: true } }
          : {
              name: 'firecrawl_scrape',
              arguments: { url: `${site.url}/${n % 2 ? '' : 'held'}?${n}`, maxAge: 0 },
            },
        { signal: cancellation.signal, timeout: 100_000 },
      ),
    );
    const settled = Promise.allSettled(calls);
    // Half of the scrapes have ended by then, and each of the others has reached its page.
    await pollUntil(() => new Set(site.requests.filter(({ path }) => path === '/held')).size >= 1);
    await pollUntil(async () => (await runningJobs(team.id)).some(({ kind }) => kind === 'crawl'));
    cancellation.abort();
    await settled;
    await pollUntil(async () => (await runningJobs(team.id)).length === 0);
    const { body } = await call('/v2/team/queue-status', { key: team.key });
    expect(body).toMatchObject({ jobsInQueue: 0, activeJobsInQueue: 0 });
  });
});

describe('a task of the Model Context Protocol', () => {
  const start = async (url: string, key?: string) =>
    sendMessage(
      'tools/call',
      { name: 'firecrawl_crawl', arguments: { url, sitemap: 'skip', ignoreRobotsTxt: true } },
      key === undefined ? {} : { key },
    );

  it('stands for a crawl, and has its result', async () => {
    await using site = await startPages(SITE);
    const { result: created } = await start(site.url);
    expect(created).toMatchObject({
      resultType: 'task',
      status: 'working',
      taskId: expect.stringMatching(/^crawl_/),
      ttlMs: expect.any(Number),
      pollIntervalMs: 2_000,
    });
    const { taskId } = created;
    const { result: task } = await pollUntil(async () => {
      const message = await sendMessage('tasks/get', { taskId });
      return message.result.status !== 'working' && message;
    });
    expect(task).toMatchObject({
      resultType: 'complete',
      taskId,
      status: 'completed',
      createdAt: created.createdAt,
      result: { structuredContent: { status: 'completed', completed: 3 } },
    });
    expect(JSON.stringify(task.result.content)).toContain('Page A');
  });

  it('is cancelled with its job', async () => {
    const team = await makeTeam(db);
    await using site = await startPages({ '/': () => undefined });
    const { result } = await start(site.url, team.key);
    const params = { taskId: result.taskId };
    expect((await sendMessage('tasks/update', params, team)).result).toMatchObject({
      resultType: 'complete',
    });
    expect((await sendMessage('tasks/cancel', params, team)).result).toMatchObject({
      resultType: 'complete',
    });
    expect((await sendMessage('tasks/get', params, team)).result).toMatchObject({ status: 'cancelled' });
    expect((await sendMessage('tasks/cancel', params, team)).result).toMatchObject({
      resultType: 'complete',
    });
    expect(await runningJobs(team.id)).toEqual([]);
  });

  it('is none of another team, and only for clients that know tasks', async () => {
    const team = await makeTeam(db);
    await using site = await startPages(SITE);
    const { result } = await start(site.url);
    const params = { taskId: result.taskId };
    expect((await sendMessage('tasks/get', params, team)).error).toMatchObject({ code: -32602 });
    expect((await sendMessage('tasks/get', { taskId: 'crawl_1' })).error).toMatchObject({ code: -32602 });
    expect((await sendMessage('tasks/get', params, { knowsTasks: false })).error).toMatchObject({
      code: -32021,
    });
    const waited = await sendMessage(
      'tools/call',
      { name: 'firecrawl_crawl', arguments: { url: site.url, limit: 1 } },
      { knowsTasks: false },
    );
    expect(waited.result).toMatchObject({
      resultType: 'complete',
      structuredContent: { status: 'completed' },
    });
  });
});
