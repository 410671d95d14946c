import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { finished, startJob } from '../support/api/jobs.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { useSite } from '../support/sites/use-site.ts';
import { makeTeam, useDatabase } from '../support/storage/database.ts';

/** Watching a job over a WebSocket, as the clients of this API do. */

const service = useService();

const site = useSite();
const db = useDatabase();

// biome-ignore lint/suspicious/noExplicitAny: tests read messages as a client without types does
type Message = { type: string; data: any; error?: string };

/** Watches until the other side closes. @param key as a subprotocol, the way browsers can send it */
async function watch(
  path: string,
  { key = service.key, header = false, onMessage = (_message: Message): unknown => undefined } = {},
) {
  const url = service.url.replace(/^http/, 'ws') + path;
  const socket = header
    ? new WebSocket(url, { headers: { Authorization: `Bearer ${key}` } })
    : new WebSocket(url, key);
  const messages: Message[] = [];
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    messages.push(message);
    onMessage(message);
  });
  const [code, reason] = await once(socket, 'close');
  return { code, reason: String(reason), messages, protocol: socket.protocol };
}

describe('a WebSocket client', () => {
  it('receives the documents so far, new ones, and the whole result at the end', async () => {
    const watched = Promise.withResolvers<void>();
    await using pages = await startPages({
      '/': async (request, response) => {
        await watched.promise;
        setTimeout(() => response.end(`<p>Page ${request.url}</p>`), 300);
      },
    });
    const urls = [1, 2, 3].map((n) => `${pages.url}/?${n}`);
    const id = await startJob('/v2/batch/scrape', { urls, fastMode: true, maxConcurrency: 2 });
    const { code, reason, messages, protocol } = await watch(`/v2/batch/scrape/${id}`, {
      onMessage: () => watched.resolve(),
    });
    expect(protocol).toBe(service.key);
    expect({ code, reason }).toEqual({ code: 1000, reason: '{"type":"done"}' });
    expect(messages[0]).toMatchObject({
      type: 'catchup',
      data: { success: true, status: 'scraping', data: [] },
    });
    const documents = messages.filter(({ type }) => type === 'document');
    expect(documents.map(({ data }) => data.metadata.sourceURL).sort()).toEqual([...urls].sort());
    const [last, done] = messages.slice(-2);
    expect(last).toMatchObject({ type: 'catchup', data: { status: 'completed', total: 3, completed: 3 } });
    expect(last!.data.data).toEqual(documents.map(({ data }) => data));
    expect(done).toMatchObject({ type: 'done', data: { status: 'completed', creditsUsed: 3 } });
  });

  it('receives the whole result of a completed job at once', async () => {
    const id = await startJob('/v2/crawl', { url: `${site.url}/links/0`, limit: 4, crawlEntireDomain: true });
    await finished('/v2/crawl', id);
    const { messages } = await watch(`/v2/crawl/${id}`, { header: true });
    expect(messages.map(({ type }) => type)).toEqual(['catchup', 'done']);
    expect(messages[0]?.data).toMatchObject({ status: 'completed', total: 4 });
    expect(messages[0]?.data.data).toHaveLength(4);
  });

  it('with a wrong key receives an error and is closed', async () => {
    const { code, messages, protocol } = await watch(`/v2/crawl/${randomUUID()}`, { key: 'fc-wrong' });
    expect(protocol).toBe('fc-wrong');
    expect(code).toBe(3000);
    expect(messages).toEqual([{ type: 'error', error: expect.stringContaining('Unauthorized') }]);
  });

  it.each([
    ['abc', 'Invalid job ID format'],
    [randomUUID(), 'Job not found'],
  ])('of %s is told that it is none', async (id, reason) => {
    const { code, messages } = await watch(`/v2/batch/scrape/${id}`);
    expect(code).toBe(1008);
    expect(messages).toEqual([{ type: 'error', error: expect.stringContaining(reason) }]);
  });

  it('of the path of another kind of job is told which path that job has', async () => {
    const id = await startJob('/v2/batch/scrape', { urls: [`${site.url}/article/1`] });
    const { code, messages } = await watch(`/v2/crawl/${id}`);
    expect([code, messages]).toEqual([
      1008,
      [{ type: 'error', error: expect.stringContaining(`that of a batch: use /v2/batch/scrape/${id}.`) }],
    ]);
    await finished('/v2/batch/scrape', id);
  });

  it('receives nothing of jobs of other teams, and is told so', async () => {
    const { key } = await makeTeam(db);
    const id = await startJob('/v2/batch/scrape', { urls: [`${site.url}/article/1`] });
    const { code, messages } = await watch(`/v2/batch/scrape/${id}`, { key });
    expect([code, messages]).toEqual([
      3003,
      [{ type: 'error', error: expect.stringContaining('belongs to another team') }],
    ]);
    await finished('/v2/batch/scrape', id);
  });

  it('is refused on paths without a job', async () => {
    const socket = new WebSocket(`${service.url.replace(/^http/, 'ws')}/v2/scrape`);
    const [error] = await once(socket, 'error');
    expect(String(error)).toContain('404');
  });
});
