import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { endSession, openSession } from '../../src/storage/db/sessions.ts';
import { call } from '../support/api/call.ts';
import { makeTeam, storeSession, type TestTeam, useDatabase } from '../support/storage/database.ts';
import { CLOSED_PORT } from '../support/webhooks/receiver.ts';

/**
 * The responses of the API when a session host does not respond as it should. Clients repeat a request that
 * gets 502, so 502 means that the host did nothing.
 */

const db = useDatabase();
let team: TestTeam;
beforeAll(async () => {
  team = await makeTeam(db);
});

/** Sends code to a session whose host the test is. @param serve what the host does */
async function executeOn(serve: RequestListener) {
  const server = createServer(serve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Listening on a TCP port, the address is never a path.
  const { port } = server.address() as AddressInfo;
  const result = await executeAt(port);
  server.close();
  return result;
}

/** Sends code to a session whose host is at a port of this machine. */
async function executeAt(port: number) {
  const id = await storeSession(db.query, team.id);
  await openSession(db, { id, host: `http://127.0.0.1:${port}` });
  const response = await call(`/v2/browser/${id}/execute`, { body: { code: '1' }, key: team.key });
  await endSession(db, { id, reason: 'lost' });
  return { id, status: response.status, code: response.body.code, error: response.body.error };
}

/** A host that reads the request before it does something else than to respond. */
const afterReading =
  (act: (...args: Parameters<RequestListener>) => void): RequestListener =>
  async (request, response) => {
    await text(request);
    act(request, response);
  };

describe('code for a session', () => {
  it('was not executed by a host that is not there', async () => {
    expect(await executeAt(CLOSED_PORT)).toMatchObject({
      status: 502,
      code: 'SESSION_FAILED',
      error: expect.stringContaining('nothing was done'),
    });
  });

  it('was not executed by a host that does not recognize the API', async () => {
    expect(await executeOn((_request, response) => response.writeHead(401).end())).toMatchObject({
      status: 502,
      code: 'SESSION_FAILED',
      error: expect.stringContaining('WINNOW_SECRET_KEY'),
    });
  });

  it('may have been executed by a host that dies before its response', async () => {
    expect(await executeOn(afterReading(({ socket }) => socket.destroy()))).toMatchObject({
      status: 500,
      code: 'WORKER_LOST',
    });
  });

  it('may have been executed by a host that dies in the middle of its response', async () => {
    const dying = afterReading(({ socket }, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('{"stdout":', () => socket.destroy());
    });
    expect(await executeOn(dying)).toMatchObject({ status: 500, code: 'WORKER_LOST' });
  });

  it('was not executed by a host that does not run the session any more', async () => {
    expect(await executeOn((_request, response) => response.writeHead(410).end())).toMatchObject({
      status: 410,
      code: 'SESSION_DESTROYED',
    });
  });

  it('that makes a host fail unexpectedly gets an error whose reason is only in the log', async () => {
    const failed = JSON.stringify({ code: 'UNKNOWN_ERROR', message: 'Something unexpected went wrong.' });
    const { id, ...failure } = await executeOn((_request, response) => response.writeHead(500).end(failed));
    expect(failure).toMatchObject({ status: 500, code: 'UNKNOWN_ERROR' });
    expect(failure.error).toMatch(/log of the service has the details under the id/);
    expect(failure.error).not.toContain(id);
  });
});
