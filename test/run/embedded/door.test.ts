import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen } from '../../../src/system/server.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/** What users of the machine who do not know the password can take from the door of the Temporal server. */

const PROGRAM = new URL('../../../src/run/embedded/temporal/door.js', import.meta.url);
const password = 'password-of-this-test';
let door: ChildProcess;
let behind: Server;
let port = 0;
const sockets: Socket[] = [];

/** Starts a server on a free port. */
async function open(server: Server): Promise<number> {
  await listen(server, { port: 0, host: '127.0.0.1' }, () => undefined);
  // A server that listens on TCP has an address with a port.
  return (server.address() as { port: number }).port;
}

beforeAll(async () => {
  behind = createServer((socket) => socket.resume());
  const inside = await open(behind);
  const outside = createServer();
  port = await open(outside);
  door = fork(PROGRAM);
  await new Promise((resolve) => door.send({ kind: 'grpc', port: inside, password }, outside, {}, resolve));
  outside.close();
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  door.kill();
  behind.close();
});

/** A client that never closes its side. */
interface Client {
  socket: Socket;
  said: string;
  hasEnded: boolean;
}

/** @param headers of its request; it sends none without them */
async function client(headers?: string): Promise<Client> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  const made: Client = { socket, said: '', hasEnded: false };
  socket.on('error', () => undefined);
  for (const event of ['end', 'close'])
    socket.on(event, () => {
      made.hasEnded = true;
    });
  socket.on('data', (chunk) => {
    made.said += chunk;
  });
  await once(socket, 'connect');
  if (headers !== undefined) socket.write(`CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n${headers}\r\n`);
  return made;
}
const descriptors = () => readdirSync(`/proc/${door.pid}/fd`).length;
const AUTHORIZED = `Proxy-Authorization: Basic ${Buffer.from(`winnow:${password}`).toString('base64')}\r\n`;

describe.runIf(process.platform === 'linux')('the door of the embedded Temporal server', () => {
  it('closes connections that it refuses, also if the client does not', async () => {
    // The first one shows that the program has started.
    const first = await client('');
    await pollUntil(() => first.said !== '');
    const before = descriptors();
    const refused = await Promise.all(Array.from({ length: 40 }, () => client('')));
    await pollUntil(() => refused.every(({ said }) => / 407 /.test(said)));
    await pollUntil(() => descriptors() < before + refused.length / 2);
  });

  it('keeps a bounded number of clients that say nothing, and serves whoever knows the password', async () => {
    const silent = await Promise.all(Array.from({ length: 300 }, () => client()));
    await pollUntil(() => silent.filter(({ hasEnded }) => hasEnded).length >= 44);
    const authorized = await client(AUTHORIZED);
    await pollUntil(() => authorized.said !== '');
    expect(authorized.said).toMatch(/^HTTP\/1\.1 200 /);
  });
});
