import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as httpRequest, request } from 'node:http';
import path from 'node:path';
import { json, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, it, test } from 'vitest';
import { WebSocket } from 'ws';
import { HOST_REQUEST_HEADER, signHostRequest } from '../../src/system/encryption/host-request.ts';
import { sessionSecret } from '../../src/system/encryption/session-secrets.ts';
import { call } from '../support/api/call.ts';
import { connectRaw } from '../support/browser/protocol.ts';
import { makeTeam, type TestTeam, useDatabase } from '../support/storage/database.ts';

/** Who may use a session, by its URLs, by API keys, and past the API. */

const { url: base, dataDir } = inject('service');

const db = useDatabase();
let team: TestTeam;
let stranger: TestTeam;
let session: Urls;
let other: Urls;
let host: string;

interface Urls {
  id: string;
  cdpUrl: string;
  liveViewUrl: string;
  interactiveLiveViewUrl: string;
}

const create = async (): Promise<Urls> => (await call('/v2/browser', { body: {}, key: team.key })).body;
const remove = ({ id }: Urls) => call(`/v2/browser/${id}`, { method: 'DELETE', key: team.key });

beforeAll(async () => {
  [team, stranger] = await Promise.all([makeTeam(db), makeTeam(db)]);
  [session, other] = await Promise.all([create(), create()]);
  const row = await db.query
    .selectFrom('browser_sessions')
    .select('host')
    .where('id', '=', session.id)
    .executeTakeFirstOrThrow();
  host = row.host!;
});
afterAll(async () => {
  await using client = await connectRaw(session.cdpUrl);
  // The session still works after all of it.
  expect(await client.send('Browser.getVersion')).toHaveProperty('result.product');
  await Promise.all([remove(session), remove(other)]);
});

const secretKey = () => readFileSync(path.join(dataDir, 'secret-key'), 'utf8').trim();
const secretOf = (url: string) => url.split('/').at(-1)!;
const asSocket = (url: string) => url.replace(/^http/, 'ws');

/** Opens a WebSocket. @returns the status of the refused handshake; 101 if it was accepted */
const statusOf = (url: string, headers: Record<string, string> = {}) =>
  new Promise<number>((resolve) => {
    const socket = new WebSocket(url, { headers });
    socket.on('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.on('error', () => undefined);
  });

describe('a WebSocket of a session is refused', () => {
  test.each<[string, () => string]>([
    ['without a secret', () => session.cdpUrl.replace(secretOf(session.cdpUrl), '')],
    [
      'with an empty secret of the right length',
      () => session.cdpUrl.replace(secretOf(session.cdpUrl), 'A'.repeat(43)),
    ],
    ['with a part of the secret', () => session.cdpUrl.slice(0, -1)],
    ['with more than the secret', () => `${session.cdpUrl}A`],
    [
      'with the secret in other letters',
      () => session.cdpUrl.replace(secretOf(session.cdpUrl), (secret) => secret.toLowerCase()),
    ],
    [
      'with the secret of another session',
      () => session.cdpUrl.replace(secretOf(session.cdpUrl), secretOf(other.cdpUrl)),
    ],
    [
      'with the secret of the view',
      () => session.cdpUrl.replace(secretOf(session.cdpUrl), secretOf(session.liveViewUrl)),
    ],
    [
      'with the secret of the control',
      () => session.cdpUrl.replace(secretOf(session.cdpUrl), secretOf(session.interactiveLiveViewUrl)),
    ],
    [
      'that is a view, with the secret of the protocol',
      () => asSocket(session.liveViewUrl).replace(secretOf(session.liveViewUrl), secretOf(session.cdpUrl)),
    ],
    [
      'with the API key for a secret',
      () => session.cdpUrl.replace(secretOf(session.cdpUrl), encodeURIComponent(team.key)),
    ],
    ['with a path behind the secret', () => `${session.cdpUrl}/execute`],
    [
      'with a path through another session',
      () => session.cdpUrl.replace('/cdp/', `/cdp/../../${other.id}/cdp/`),
    ],
    ['of a host, as a resource', () => session.cdpUrl.replace('/cdp/', '/execute/')],
  ])('%s', async (_name, url) => {
    expect(await statusOf(url())).toBe(404);
  });

  test('with a key instead of the secret in a header', async () => {
    const url = session.cdpUrl.replace(secretOf(session.cdpUrl), 'A'.repeat(43));
    expect(await statusOf(url, { Authorization: `Bearer ${team.key}` })).toBe(404);
  });

  test('as soon as the session has ended', async () => {
    const ended = await create();
    await using _ = await connectRaw(ended.cdpUrl);
    await remove(ended);
    for (const url of [ended.cdpUrl, ended.liveViewUrl, ended.interactiveLiveViewUrl])
      expect(await statusOf(asSocket(url))).toBe(410);
    expect((await fetch(`${ended.cdpUrl.replace(/^ws/, 'http')}/json/version`)).status).toBe(410);
  });
});

test.each([
  [
    'a wrong secret',
    404,
    'NOT_FOUND',
    /no browser session at this URL/,
    async () => `${session.cdpUrl.slice(0, -1)}_`,
  ],
  [
    'a session that has ended',
    410,
    'SESSION_DESTROYED',
    /has ended \(deleted\)\. .* Create a new one\.$/,
    async () => {
      const ended = await create();
      await remove(ended);
      return ended.cdpUrl;
    },
  ],
])(
  'a WebSocket with %s is refused with what happened, which clients show',
  async (_what, status, code, error, url) => {
    const socket = new WebSocket(await url());
    const [, response] = await once(socket, 'unexpected-response');
    expect([response.statusCode, await json(response)]).toEqual([
      status,
      { success: false, code, error: expect.stringMatching(error) },
    ]);
  },
);

describe('a page of a session is refused', () => {
  test.each<[string, () => string]>([
    [
      'that names its protocol, with a wrong secret',
      () => `${session.cdpUrl.replace(/^ws/, 'http').slice(0, -1)}/json/version`,
    ],
    [
      'that names its protocol, with the secret of the view',
      () => `${session.liveViewUrl.replace('/view/', '/cdp/')}/json/version`,
    ],
    [
      'that shows it, with the secret of the protocol',
      () => session.cdpUrl.replace(/^ws/, 'http').replace('/cdp/', '/view/'),
    ],
    [
      'that shows it, with the secret of another session',
      () => session.liveViewUrl.replace(session.id, other.id),
    ],
    ['that shows it, with an encoded secret of another length', () => `${session.liveViewUrl}%00`],
  ])('%s', async (_name, url) => {
    const response = await fetch(url());
    expect([response.status, await response.text()]).toEqual([
      404,
      expect.not.stringContaining(secretOf(session.cdpUrl)),
    ]);
  });
});

describe.each(['/v2/browser', '/v2/interact'])(
  'a key of another team may not use a session at %s',
  (resource) => {
    test.each<[string, string, object | undefined]>([
      ['GET', '', undefined],
      ['DELETE', '', undefined],
      ['POST', '/execute', { code: '1' }],
      ['GET', '/downloads', undefined],
      ['GET', '/downloads/secret.txt', undefined],
      ['GET', '/replay', undefined],
    ])('%s %s', async (method, rest, body) => {
      const at = `${resource}/${session.id}${rest}`;
      const send = (headers: Record<string, string>) =>
        fetch(base + at, {
          method,
          headers: { 'Content-Type': 'application/json', ...headers },
          ...(body && { body: JSON.stringify(body) }),
        });
      expect((await send({ Authorization: `Bearer ${stranger.key}` })).status).toBe(404);
      expect((await send({ Authorization: 'Bearer fc-wrong' })).status).toBe(401);
      expect((await send({})).status).toBe(401);
      // The secret of a URL is no key.
      expect((await send({ Authorization: `Bearer ${secretOf(session.cdpUrl)}` })).status).toBe(401);
    });
  },
);

test('a handshake that is none of WebSockets is refused by the host with what is wrong', async () => {
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '12',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
  const sent = httpRequest(session.cdpUrl.replace(/^ws/, 'http'), { headers }).end();
  const [response] = await once(sent, 'response');
  expect([response.statusCode, await json(response)]).toEqual([
    400,
    { success: false, code: 'BAD_REQUEST', error: expect.stringContaining('Sec-WebSocket-Version') },
  ]);
});

describe('the host of a session does not serve', () => {
  const target = (rest: string) => `/sessions/${session.id}/${rest}`;
  test.each<[string, () => Record<string, string>]>([
    ['a request without a signature', () => ({})],
    ['an empty signature', () => ({ [HOST_REQUEST_HEADER]: '' })],
    [
      'a signature by another key',
      () => ({
        [HOST_REQUEST_HEADER]: signHostRequest('0'.repeat(64), { method: 'GET', path: target('downloads') }),
      }),
    ],
    [
      'the signature of another path',
      () => ({
        [HOST_REQUEST_HEADER]: signHostRequest(secretKey(), { method: 'GET', path: target('view') }),
      }),
    ],
    [
      'the signature of another session',
      () => ({
        [HOST_REQUEST_HEADER]: signHostRequest(secretKey(), {
          method: 'GET',
          path: `/sessions/${other.id}/downloads`,
        }),
      }),
    ],
    [
      'the signature of another method',
      () => ({
        [HOST_REQUEST_HEADER]: signHostRequest(secretKey(), { method: 'POST', path: target('downloads') }),
      }),
    ],
    ['the secret of a URL', () => ({ [HOST_REQUEST_HEADER]: secretOf(session.cdpUrl) })],
    ['the API key', () => ({ Authorization: `Bearer ${team.key}` })],
  ])('%s', async (_name, headers) => {
    expect((await fetch(host + target('downloads'), { headers: headers() })).status).toBe(401);
    expect(await statusOf(asSocket(host + target('cdp')), headers())).toBe(401);
  });

  test('a path outside of its sessions', async () => {
    for (const outside of [
      '/',
      '/sessions',
      '/sessions/../etc/passwd',
      target('profile'),
      target('downloads/..%2fcdp.sock'),
    ]) {
      const signature = signHostRequest(secretKey(), { method: 'GET', path: outside });
      const response = await fetch(host + outside, { headers: { [HOST_REQUEST_HEADER]: signature } });
      // The client resolves `..`, and the signature is then that of another path.
      expect([401, 404, 410]).toContain(response.status);
    }
  });
});

it.each(['%2e', '%2e%2e'])('the directory of a file is none of the downloads: %s', async (name) => {
  // Unlike a URL, the path of a plain request is sent as it is.
  const asked = request(base, {
    path: `/v2/browser/${session.id}/downloads/${name}`,
    headers: { Authorization: `Bearer ${team.key}` },
  }).end();
  const [response] = await once(asked, 'response');
  expect(response.statusCode).toBe(404);
  expect(JSON.parse(await text(response))).toMatchObject({ code: 'NOT_FOUND' });
});

it('a session without a live view has none, even for who knows what its secrets would be', async () => {
  const { body: unseen } = await call('/v2/browser', { body: { streamWebView: false }, key: team.key });
  const { salt } = await db.query
    .selectFrom('browser_sessions')
    .select('salt')
    .where('id', '=', unseen.id)
    .executeTakeFirstOrThrow();
  for (const access of ['view', 'control'] as const) {
    const secret = sessionSecret(secretKey(), { id: unseen.id, salt, access });
    const url = `${base}/v2/browser/${unseen.id}/view/${secret}`;
    expect((await fetch(url)).status).toBe(404);
    expect(await statusOf(asSocket(url))).toBe(404);
  }
  const own = { id: session.id, access: 'view' as const };
  const row = await db.query
    .selectFrom('browser_sessions')
    .select('salt')
    .where('id', '=', session.id)
    .executeTakeFirstOrThrow();
  // This is how a secret is made.
  expect(session.liveViewUrl).toContain(sessionSecret(secretKey(), { ...own, ...row }));
  await remove(unseen);
});

it('a viewer who announces more than 2 MiB is disconnected before any of it is read', async () => {
  const handshake = request(session.liveViewUrl, {
    headers: {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Key': Buffer.alloc(16).toString('base64'),
      'Sec-WebSocket-Version': '13',
    },
  }).end();
  const [, connection] = await once(handshake, 'upgrade');
  const received: Buffer[] = [];
  connection.on('data', (chunk: Buffer) => received.push(chunk));
  const closed = once(connection, 'close');
  // The header of a text of 100 MiB with a mask, as clients send it (RFC 6455, 5.2).
  // It is answered by a frame that closes the connection with the code 1009.
  const header = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0x06, 0x40, 0, 0, 1, 2, 3, 4]);
  connection.write(header);
  await expect.poll(() => Buffer.concat(received).toString('hex')).toContain('880203f1');
  connection.destroy();
  await closed;
  expect(await statusOf(asSocket(session.liveViewUrl))).toBe(101);
});

it('a viewer without control changes nothing, whatever it sends', async () => {
  await using client = await connectRaw(session.cdpUrl);
  const { targetId, sessionId } = await client.openTab();
  await client.evaluate(
    sessionId,
    `document.body.innerHTML = '<input autofocus>'; document.querySelector('input').focus()`,
  );
  const viewer = new WebSocket(asSocket(session.liveViewUrl));
  const received: { type: string }[] = [];
  viewer.on('message', (data, isBinary) => void (isBinary || received.push(JSON.parse(String(data)))));
  await new Promise((resolve) => viewer.once('open', resolve));
  const key = {
    type: 'key',
    action: 'down',
    key: 'a',
    code: 'KeyA',
    keyCode: 65,
    location: 0,
    repeat: false,
  };
  const mouse = { type: 'mouse', x: 9, y: 9, button: 'left', clickCount: 1, modifiers: 0 };
  for (const message of [
    { type: 'showTab', targetId },
    { ...mouse, action: 'down', buttons: 1 },
    { ...mouse, action: 'up', buttons: 0 },
    { ...key, text: 'a', modifiers: 0 },
    { type: 'text', text: 'forged' },
    { type: 'paste', text: 'forged' },
    { type: 'copy' },
    { type: 'resize', width: 300, height: 300 },
    { type: 'closeTab', targetId },
    { type: 'mayControl', mayControl: true },
  ])
    viewer.send(JSON.stringify(message));
  // Another viewer, with control, is served after all of these.
  const control = new WebSocket(asSocket(session.interactiveLiveViewUrl));
  await new Promise((resolve) => control.once('open', resolve));
  control.send(JSON.stringify({ type: 'showTab', targetId }));
  await expect.poll(() => JSON.stringify(received)).toContain(`"shownTargetId":"${targetId}"`);
  control.send(JSON.stringify({ type: 'text', text: 'typed' }));
  await expect.poll(() => client.evaluate(sessionId, 'document.querySelector("input").value')).toBe('typed');
  expect(received.some(({ type }) => type === 'clipboard')).toBe(false);
  viewer.close();
  control.close();
});
