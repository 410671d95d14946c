import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type DocumentStreamOptions,
  readFailedPages,
  streamDocuments,
} from '../../src/cli/document-stream.ts';
import { retryWhileUnreachable } from '../../src/cli/reconnect.ts';
import { ServiceError } from '../../src/errors.ts';

/** Following a job of an API that does what the real one does only rarely. */

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  // Listening on a TCP port, the address is never a path.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'fc-test' };
}

interface Look {
  /** Documents so far. */
  count: number;
  status?: string;
  failed?: number;
  /** Most documents in the answer. */
  most?: number;
  /** The connection breaks after so many. */
  breakAfter?: number;
}

/** An API whose job is a step further at every look; the last one stays. */
async function serveJob(looks: Look[]) {
  const skips: (string | null)[] = [];
  const target = await serve((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://api.test');
    const { count, status = 'scraping', failed = 0, most = 1000, breakAfter } = looks[0] ?? { count: 0 };
    if (looks.length > 1) looks.shift();
    skips.push(searchParams.get('skip'));
    const skip = Number(searchParams.get('skip') ?? 0);
    const documents = Array.from({ length: count }, (_, n) => ({ n })).slice(skip, skip + most);
    const head = {
      success: true,
      status,
      total: count + failed,
      completed: count,
      failed,
      creditsUsed: count,
    };
    const text = JSON.stringify({ ...head, data: documents });
    if (breakAfter === undefined) return response.end(text);
    response.write(text.slice(0, text.indexOf(`{"n":${breakAfter}}`)), () => response.destroy());
  });
  return { target, skips };
}

async function followed(
  target: DocumentStreamOptions['target'],
  options: Partial<DocumentStreamOptions> = {},
) {
  const taken: number[] = [];
  const notes: string[] = [];
  const failed: number[] = [];
  const never = new AbortController().signal;
  const head = await streamDocuments({
    target,
    path: '/job',
    stop: never,
    giveUp: never,
    note: (text) => notes.push(text),
    onDocument: async (json) => void taken.push(JSON.parse(json).n),
    onProgress: (progress) => failed.push(progress.failed),
    ...options,
  });
  return { taken, notes, head, failed };
}

describe('the document stream', () => {
  it('yields every document once and never requests one that does not exist', async () => {
    const { target, skips } = await serveJob([
      { count: 0 },
      { count: 2 },
      { count: 2 },
      { count: 5 },
      { count: 6, status: 'completed', failed: 3 },
    ]);
    const { taken, head, failed, notes } = await followed(target);
    expect(taken).toEqual([0, 1, 2, 3, 4, 5]);
    expect(skips).toEqual([null, null, '1', '1', '4']);
    expect(head).toEqual({
      success: true,
      status: 'completed',
      total: 9,
      completed: 6,
      failed: 3,
      creditsUsed: 6,
    });
    expect([failed.at(-1), notes]).toEqual([3, []]);
  });

  it('continues through responses that hold one document each', async () => {
    const { target } = await serveJob([{ count: 1 }, { count: 4, status: 'completed', most: 1 }]);
    expect((await followed(target)).taken).toEqual([0, 1, 2, 3]);
  });

  it('continues after a connection is lost in the middle of a response', async () => {
    const { target } = await serveJob([
      { count: 5, breakAfter: 3 },
      { count: 5, breakAfter: 4 },
      { count: 7, status: 'completed' },
    ]);
    const { taken, notes } = await followed(target);
    expect(taken).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(notes).toEqual([
      expect.stringMatching(/^Winnow is not reachable \(.+\); trying again for 60 s\.$/),
      'Winnow is reachable again.',
    ]);
  });

  it('stops when it is aborted', async () => {
    const { target } = await serveJob([{ count: 3 }]);
    const giveUp = new AbortController();
    const options = { giveUp: giveUp.signal, onProgress: () => giveUp.abort() };
    expect((await followed(target, options)).head.status).toBe('scraping');
  });

  it('fails when the API refuses the request', async () => {
    const target = await serve((_request, response) =>
      response.writeHead(404).end('{"success":false,"code":"NOT_FOUND","error":"Job not found."}'),
    );
    await expect(followed(target)).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'Job not found.' });
  });
});

it('only the first failures of a long list are read', async () => {
  let sent = 0;
  const target = await serve((_request, response) => {
    response.write('{"errors":[');
    const more = () => {
      while (response.write(`${sent++ ? ',' : ''}{"url":"http://a.test/${sent}","error":"no"}`));
    };
    response.on('drain', more);
    more();
  });
  const failures = await readFailedPages({ target, path: '/job', limit: 3 }, new AbortController().signal);
  expect(failures.map(({ url }) => url)).toEqual([1, 2, 3].map((n) => `http://a.test/${n}`));
});

describe('retrying while the service is unreachable', () => {
  const away = () => Promise.reject(new ServiceError('SERVICE_UNAVAILABLE', 'It is away.'));

  it('ends after its time limit with the last error', async () => {
    const notes: string[] = [];
    const { signal } = new AbortController();
    const tried = retryWhileUnreachable(away, { note: (text) => notes.push(text), signal, timeoutMs: 600 });
    await expect(tried).rejects.toThrow('It is away.');
    expect(notes).toEqual(['Winnow is not reachable (It is away.); trying again for 1 s.']);
  });

  it('ends when it is aborted', async () => {
    const end = new AbortController();
    const tried = retryWhileUnreachable(away, { note: () => end.abort(), signal: end.signal });
    await expect(tried).rejects.toThrow('It is away.');
  });

  it('does not retry a refusal', async () => {
    let tries = 0;
    const refused = () => {
      tries++;
      return Promise.reject(new ServiceError('NOT_FOUND', 'No.'));
    };
    const { signal } = new AbortController();
    await expect(retryWhileUnreachable(refused, { note: () => undefined, signal })).rejects.toThrow('No.');
    expect(tries).toBe(1);
  });
});
