import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, inject } from 'vitest';

/**
 * The one private address that the instance under test may fetch from; everything else of the machine is
 * forbidden.
 */
export const ALLOWED = '127.0.0.2';

/** A connection or datagram that reached the canary. */
export interface Sighting {
  /** The address that it was sent to; of a datagram only that it was one. */
  to: string;
  /** The first bytes, as Latin-1: of HTTP the request line and headers. */
  head: string;
}

/** A request by which a test proves that the canary works; it is not a sighting. */
const CONTROL = /^control|control-proxy\.test/;

/**
 * Listens on every address of this machine, with one port for TCP and UDP, answers HTTP, and writes down who
 * came.
 * @param ledger the file it writes to, a line for each sighting
 */
export async function startCanary(ledger: string): Promise<{ port: number; close(): void }> {
  appendFileSync(ledger, '');
  const record = (sighting: Sighting) => appendFileSync(ledger, `${JSON.stringify(sighting)}\n`);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    const to = socket.localAddress?.replace(/^::ffff:/, '') ?? '';
    const silent = () => record({ to, head: '' });
    socket.once('end', silent);
    socket.once('data', (chunk) => {
      socket.off('end', silent);
      record({ to, head: chunk.toString('latin1') });
      const headers = 'Content-Type: text/html\r\nAccess-Control-Allow-Origin: *\r\nConnection: close';
      socket.end(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n<main>The canary sang.</main>`);
    });
  }).listen(0, '::');
  await once(server, 'listening');
  // A TCP server's address is never a path.
  const { port } = server.address() as AddressInfo;
  const udp = createSocket('udp6', (message) => record({ to: 'udp', head: message.toString('latin1') }));
  udp.bind(port, '::');
  await once(udp, 'listening');
  return {
    port,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      udp.close();
    },
  };
}

/** All that reached the canary so far. */
export function sightings(): Sighting[] {
  const lines = readFileSync(inject('canary').ledger, 'utf8').split('\n');
  return lines.filter(Boolean).map((line) => JSON.parse(line));
}

/** Whether the canary was asked for this at the allowed address: the proof that a form works at all. */
export const heardOf = (text: string) =>
  sightings().some(({ to, head }) => to === ALLOWED && head.includes(text));

/** Fails when anything reached the canary where it may not be reached. */
export function expectSilence(): void {
  expect(sightings().filter(({ to, head }) => to !== ALLOWED && !CONTROL.test(head))).toEqual([]);
}
