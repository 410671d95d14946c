import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Attack } from './attack.ts';

/** Attacks on a service without authentication, by pages that its operator opens in a browser of the machine. */

const JOB = '0190a6e0-0000-7000-8000-000000000000';
const EVIL = 'evil.test';
const BODY = '{"filename":"a.pdf"}';
const WRITE = ['POST', '/v2/parse/upload-url'] as const;
const READ = ['GET', '/v2/team/activity'] as const;
const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

type Headers = Record<string, string>;
/** Headers that pretend a request came to a host that is served, which any program can send. */
const PRETENCES: Headers[] = [
  {},
  { 'X-Forwarded-Host': 'localhost' },
  { 'X-Forwarded-Host': '127.0.0.1', 'X-Forwarded-For': '127.0.0.1', 'X-Forwarded-Proto': 'https' },
  { Forwarded: 'for=127.0.0.1;host=localhost;proto=http' },
  { 'X-Original-Host': 'localhost', 'X-Host': 'localhost', 'X-Real-IP': '127.0.0.1' },
];
/** Names that lead to this machine, or seem to, but are not its own. */
const FOREIGN_HOSTS = [
  EVIL,
  `localhost.${EVIL}`,
  `127.0.0.1.${EVIL}`,
  `localhost@${EVIL}`,
  '10.0.0.1',
  '0.0.0.0',
];
/** What browsers tell of a page of another origin. */
const FOREIGN_PAGES: Headers[] = [
  { Origin: `http://${EVIL}` },
  { Origin: 'null' },
  { Origin: 'http://localhost:1' },
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site', 'X-Forwarded-Host': EVIL },
];

/** Sends a request with any headers. @returns 101 as status for a connection that is a WebSocket */
async function send(url: string, [method, path]: readonly [string, string], headers: Headers) {
  const request = httpRequest(`${url}${path}`, { method, headers, setHost: headers.Host === undefined });
  const upgraded = once(request, 'upgrade').then(([, socket]) => {
    socket.destroy();
    return { status: 101, headers: {} as Headers, body: '' };
  });
  request.end(method === 'POST' ? BODY : undefined);
  const answered = once(request, 'response').then(async ([response]) => ({
    status: Number(response.statusCode),
    headers: response.headers as Headers,
    body: await text(response),
  }));
  // Only one of both comes; an error of the request rejects both.
  return Promise.race([upgraded, answered]);
}

const origins: Attack = {
  name: 'origins',
  aim: 'a service without authentication: foreign hosts, headers of proxies, and pages of other origins',
  needsOpenService: true,
  async run(attacker) {
    const { openUrl } = attacker.around;
    if (openUrl === undefined) return;
    const json = { 'Content-Type': 'application/json' };
    await attacker.repeat(1, async () => {
      for (const Host of FOREIGN_HOSTS)
        for (const pretence of PRETENCES)
          for (const operation of [READ, WRITE]) {
            const { status } = await send(openUrl, operation, { Host, ...json, ...pretence });
            const given = JSON.stringify({ Host, ...pretence });
            attacker.attempt(
              `${operation.join(' ')} with ${given} was answered by ${status}`,
              status === 403,
            );
          }
      for (const page of FOREIGN_PAGES) {
        const given = JSON.stringify(page);
        // A form or a script sends a text to another origin without asking first.
        for (const type of ['text/plain', 'application/json']) {
          const { status } = await send(openUrl, WRITE, { ...page, 'Content-Type': type });
          attacker.attempt(`${WRITE.join(' ')} by ${given} was answered by ${status}`, status === 403);
        }
        const read = await send(openUrl, READ, page);
        attacker.attempt(`a page may read by ${given}`, !('access-control-allow-origin' in read.headers));
        const watched = await send(openUrl, ['GET', `/v2/crawl/${JOB}`], { ...page, ...UPGRADE });
        attacker.attempt(`a WebSocket by ${given} was accepted`, watched.status === 403);
      }
      // A proxy that is not named by a setting may not say where uploads go.
      const pretence = { ...json, 'X-Forwarded-Host': EVIL, 'X-Forwarded-Proto': 'https' };
      const { status, body } = await send(openUrl, WRITE, pretence);
      attacker.attempt('X-Forwarded-Host has got into a URL', status === 200 && !body.includes(EVIL));
    });
  },
};

export const ORIGIN_ATTACKS: Attack[] = [origins];
