import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import express from 'express';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { mountRoute } from '../../src/api/http/mount-route.ts';
import { OpenRequests } from '../../src/api/http/open-requests.ts';
import { RequestTurns } from '../../src/api/http/request-turns.ts';
import { type ApiDeps, defineRoute } from '../../src/api/http/route.ts';
import { readConfig } from '../../src/config.ts';
import type { Caller } from '../../src/storage/db/teams/teams.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** Runs tasks of owners in order, each named by its owner and number, until they are ended. */
function start(turns: RequestTurns, owners: string) {
  const running: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const results = [...owners].map((owner, index) => {
    const name = `${owner}${index}`;
    return turns.run(owner, async () => {
      running.push(name);
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      ends.set(name, (error) => (error ? reject(error) : resolve(name)));
      return promise.finally(() => running.splice(running.indexOf(name), 1));
    });
  });
  return {
    running,
    results,
    async end(name: string, error?: Error) {
      ends.get(name)!(error);
      await turn();
    },
  };
}

it('an owner has a few requests at work, the next one when one of them ends, and others do not wait', async () => {
  const { running, results, end } = start(new RequestTurns(2), 'aaaabb');
  await turn();
  expect(running).toEqual(['a0', 'a1', 'b4', 'b5']);
  await end('a1');
  expect(running).toEqual(['a0', 'b4', 'b5', 'a2']);
  expect(await results[1]).toBe('a1');
  await end('a0');
  expect(running).toEqual(['b4', 'b5', 'a2', 'a3']);
});

it('a request that fails passes its turn on', async () => {
  const turns = new RequestTurns(1);
  const { running, results, end } = start(turns, 'aa');
  await turn();
  const failed = expect(results[0]).rejects.toThrow('planted');
  await end('a0', new Error('planted'));
  await failed;
  expect(running).toEqual(['a1']);
  await end('a1');
  const later = start(turns, 'aa');
  await turn();
  expect(later.running).toEqual(['a0']);
});

it('requests that read are handled a few at a time for each team, and not for clients that have gone', async () => {
  const ends: (() => void)[] = [];
  const route = defineRoute({
    method: 'get',
    path: '/read',
    tag: 'Test',
    summary: 'Read',
    response: z.object({}),
    errors: [],
    rateLimited: false,
    handler: () => new Promise<Record<string, never>>((resolve) => ends.push(() => resolve({}))),
  });
  const app = express();
  let closed = 0;
  app.use((_request, response, next) => {
    response.once('close', () => closed++);
    next();
  });
  const checks = {
    // Only the team is read.
    authenticate: async (key: string | undefined) => ({ teamId: key ?? '' }) as Caller,
    rateLimit: async () => undefined,
    open: new OpenRequests(100),
    turns: new RequestTurns(2),
    parseJson: express.json(),
    parseMultipart: express.json(),
  };
  const deps = { config: readConfig({}), closing: new AbortController().signal };
  mountRoute(app, route, checks, deps as unknown as ApiDeps);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Listening on a TCP port, the address is never a path.
  const { port } = server.address() as AddressInfo;
  const gone = new AbortController();
  const read = (authorization: string, signal?: AbortSignal) =>
    fetch(`http://127.0.0.1:${port}/read`, { headers: { authorization }, ...(signal && { signal }) });
  const first = [read('a'), read('a')];
  await pollUntil(() => ends.length === 2);
  const left = read('a', gone.signal).catch(() => 'left');
  const other = read('b');
  await pollUntil(() => ends.length === 3);
  gone.abort();
  await left;
  await pollUntil(() => closed === 1);
  for (const end of ends) end();
  expect((await Promise.all([...first, other])).map(({ status }) => status)).toEqual([200, 200, 200]);
  const next = read('a');
  await pollUntil(() => ends.length === 4);
  ends[3]!();
  expect((await next).status).toBe(200);
  server.close();
});
