import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import {
  type ClientHttp2Session,
  connect,
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { connectTemporal, pingTemporal } from '../../src/temporal/connection.ts';
import { prepareNamespace } from '../../src/temporal/namespace.ts';
import { parseTemporalAddress } from '../../src/temporal/target.ts';
import { listenOnNewPort } from '../support/network/listen.ts';
import { AUTHORITY, SIGNED, tlsOptions } from '../support/network/tls.ts';
import { temporalAddressOf } from '../support/service/start-service.ts';
import { useService } from '../support/service/use-service.ts';

/**
 * A door to the Temporal server of the shared service that asks for a client's certificate and an API key and
 * lets nobody change the namespace, as Temporal Cloud does.
 */

const service = useService();
const directory = mkdtempSync(join(tmpdir(), 'winnow-temporal-tls-'));
const pem = join(directory, 'own.pem');
const authority = join(directory, 'authority.pem');
const API_KEY = 'key-of-temporal-cloud';
const PERMISSION_DENIED = '7';
const UNAUTHENTICATED = '16';
let server: Http2SecureServer;
let behind: ClientHttp2Session;
let address: string;
/** The methods that the door refuses. */
const forbidden = new Set<string>();

/** The settings of a process that comes through the door, and what differs from them. */
const settings = (changes: Record<string, string> = {}) =>
  readConfig({
    TEMPORAL_ADDRESS: address,
    TEMPORAL_API_KEY: API_KEY,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority,
    TEMPORAL_TLS_CLIENT_CERT_PATH: pem,
    TEMPORAL_TLS_CLIENT_KEY_PATH: pem,
    ...changes,
  });

const connectBy = ({ temporalAddress = '', temporalSecurity }: ReturnType<typeof settings>) =>
  connectTemporal(temporalAddress, temporalSecurity);

/** Opens a connection to the Temporal server, through the HTTP proxy that leads to it if there is one. */
async function openSocket(): Promise<Socket> {
  const target = parseTemporalAddress(temporalAddressOf(service));
  const { username, password } = target.credentials ?? {};
  const [host = '', port] = target.address.split(':');
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const headers = { 'Proxy-Authorization': authorization };
  const asking = request({ host, port, method: 'CONNECT', path: target.address, headers, agent: false });
  asking.end();
  const [, socket] = await once(asking, 'connect');
  return socket;
}

function serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  const refuse = (status: string, message: string) =>
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': status, 'grpc-message': message },
      { endStream: true },
    );
  const method = headers[':path']?.split('/').at(-1) ?? '';
  if (headers.authorization !== `Bearer ${API_KEY}`) refuse(UNAUTHENTICATED, 'no such key');
  else if (forbidden.has(method)) refuse(PERMISSION_DENIED, 'not yours');
  else forward(stream, headers);
}

/** Lets the server behind the door respond. */
function forward(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  const { ':authority': _, authorization: __, ...sent } = headers;
  const call = behind.request(sent);
  stream.pipe(call);
  call.on('response', (answered, flags) => {
    const { ':status': status, ...others } = answered;
    const isWhole = (flags & 1) === 1;
    stream.respond({ ':status': status, ...others }, { endStream: isWhole, waitForTrailers: !isWhole });
    let trailers: IncomingHttpHeaders = {};
    call.on('trailers', (given) => {
      trailers = given;
    });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    if (!isWhole) call.pipe(stream);
  });
  for (const end of [stream, call]) end.on('error', () => stream.destroy());
}

beforeAll(async () => {
  writeFileSync(pem, SIGNED);
  writeFileSync(authority, AUTHORITY);
  const socket = await openSocket();
  behind = connect('http://temporal', { createConnection: () => socket });
  server = createSecureServer({
    ...tlsOptions(SIGNED),
    ca: AUTHORITY,
    requestCert: true,
    rejectUnauthorized: true,
  });
  server.on('stream', serve);
  address = `127.0.0.1:${await listenOnNewPort(server)}`;
});
afterEach(() => forbidden.clear());
afterAll(() => {
  server.close();
  behind.destroy();
  rmSync(directory, { recursive: true });
});

test('a connection shows its certificate and its API key', async () => {
  const connection = await connectBy(settings());
  await pingTemporal(connection);
  await connection.close();
});

test.each([
  ['another key', { TEMPORAL_API_KEY: 'wrong' }, /no such key/],
  ['no certificate', { TEMPORAL_TLS_CLIENT_CERT_PATH: '', TEMPORAL_TLS_CLIENT_KEY_PATH: '' }, /./],
  ['a server that nobody vouches for', { TEMPORAL_TLS_SERVER_CA_CERT_PATH: '' }, /./],
  ['another name', { TEMPORAL_TLS_SERVER_NAME: 'other.test' }, /./],
  ['a file that is not there', { TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/nowhere/ca.pem' }, /nowhere\/ca\.pem/],
])('a connection with %s fails', async (_, changes, message) => {
  await expect(connectBy(settings(changes))).rejects.toThrow(message);
});

test('a namespace that may not be changed is used as it is if it has the search attributes', async () => {
  forbidden.add('UpdateNamespace').add('AddSearchAttributes');
  const connection = await connectBy(settings());
  await prepareNamespace(connection, 'default');
  await connection.close();
});

test('the error names the search attributes that such a namespace lacks', async () => {
  forbidden.add('AddSearchAttributes');
  const connection = await connectBy(settings());
  const name = 'without-attributes';
  await connection.workflowService.registerNamespace({
    namespace: name,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  await expect(prepareNamespace(connection, name)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringMatching(/without-attributes.*TeamId \(KEYWORD\), JobKind \(KEYWORD\)/),
  });
  await connection.close();
});

test('settings that contradict each other are told', () => {
  expect(() => settings({ TEMPORAL_TLS: 'false' })).toThrow(/TEMPORAL_API_KEY.*need TLS/);
  expect(() => settings({ TEMPORAL_TLS_CLIENT_KEY_PATH: '' })).toThrow(/only useful together/);
  expect(() => settings({ TEMPORAL_ADDRESS: '' })).toThrow(/TEMPORAL_ADDRESS/);
  expect(readConfig({ TEMPORAL_ADDRESS: address, TEMPORAL_TLS: 'true' }).temporalSecurity).toEqual({
    tls: {},
  });
  expect(readConfig({ TEMPORAL_ADDRESS: address }).temporalSecurity).toBeUndefined();
});
