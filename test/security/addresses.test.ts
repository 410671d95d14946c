import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { finished } from '../support/api/jobs.ts';
import { sampleOf } from '../support/suite/corpus.ts';
import { expectSilence, heardOf } from './canary.ts';
import { NAMES } from './names.ts';
import { spellings } from './spellings.ts';

/** Addresses that lead inside, as somebody would write them into a request. */

const { port } = inject('canary');

const ENGINES = {
  'the plain fetch': { fastMode: true },
  'the browser': { waitFor: 1 },
};
type EngineName = keyof typeof ENGINES;
const NAMES_OF_ENGINES = Object.keys(ENGINES) as EngineName[]; // the record is written above

/** How a request for something inside may be refused: the address is private, is none, or does not exist. */
const REFUSALS = ['unsafe_domain_blocked', 'BAD_REQUEST', 'SCRAPE_DNS_RESOLUTION_ERROR'];

/** The result for each address: its error code, or nothing if a page was fetched. */
const verdicts = new Map<string, string>();

/**
 * All addresses in one job for each engine and certificate policy; what one page may do, a page of a job
 * does.
 */
async function judge(engine: EngineName, urls: readonly string[]): Promise<void> {
  const started = await call('/v2/batch/scrape', {
    body: { urls, ignoreInvalidURLs: true, maxAge: 0, skipTlsVerification: true, ...ENGINES[engine] },
  });
  expect(started.body, JSON.stringify(started.body)).toMatchObject({ success: true });
  const { id, invalidURLs = [] } = started.body;
  await finished('/v2/batch/scrape', id);
  const { body } = await call(`/v2/batch/scrape/${id}/errors`);
  for (const url of invalidURLs) verdicts.set(`${engine} ${url}`, 'BAD_REQUEST');
  expect(body).toHaveProperty('errors');
  for (const { url, code } of body.errors) verdicts.set(`${engine} ${url}`, code);
}

function expectRefusal(engine: EngineName, url: string): void {
  expect(REFUSALS).toContain(verdicts.get(`${engine} ${url}`));
}

afterEach(expectSilence);

/** Addresses that are nobody's on the internet, or belong to this machine, its network or its cloud. */
const HOSTS = [
  '[::1]', '[0:0:0:0:0:0:0:1]', '[::0001]', '[::]', '[0::0]', '0.0.0.0', '0', '0x0', '00', '0.0', '127.0.0.3', '127.255.255.254',
  '[::127.0.0.1]', '[::7f00:1]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::127.0.0.1]', '[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[2001:0:7f00:1::]',
  '[2001:0:53aa:64c:0:fffe:80ff:fffe]', '[fe80::5efe:7f00:1]', '[::ffff:0.0.0.0]', '[::ffff:169.254.169.254]',
  '[::ffff:10.0.0.1]', '169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518',
  '169.254.170.2', '169.254.0.1', '100.100.100.200', '192.0.0.192', '[fd00:ec2::254]', '[fd20:ce::254]',
  '10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.1.255', '100.64.0.1',
  '100.127.255.255', '192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '192.88.99.1',
  '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255', '[fc00::1]', '[fd12:3456::1]', '[fe80::1]',
  '[fec0::1]', '[ff02::1]', '[ff05::2]', '[100::1]', '[2001:db8::1]', '[3fff::1]', '[5f00::1]', '[4000::1]',
  // Zones, brackets, and what looks like an address without being one.
  '[fe80::1%25lo]', '[::1%lo]', '[::1%25]', '[[::1]]', '[::1', '::1]', '[127.0.0.1]', '[::ffff:127.1]', '[::1].open.test',
  '4425673729', '0x17f000001', '256.0.0.1', '127.0.0.1.1', '127.0.0.1..', '.127.0.0.1', '127..1', '127.0.0.08',
  '127.0.0.-1', '127.0.0.1%00.open.test', '127.0.0.1%2f.open.test', '127.0.0.1%23.open.test', '127.0.0.1%09', '127.0.0.1,open.test',
  '١٢٧.٠.٠.١', '১২৭.0.0.1', '127‚0‚0‚1',
  // Names of loopback, whatever DNS says of them, and of clouds.
  'localhost', 'LOCALHOST', 'localhost.', 'LocalHost.', 'app.localhost', 'a.b.localhost.', 'loc%61lhost', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'ｌｏｃａｌｈｏｓｔ', 'local\u00adhost', 'localhost。', 'localhost.localdomain', 'ip6-localhost', 'ip6-loopback', 'vm', 'host.docker.internal',
  'metadata.google.internal', 'kubernetes.default.svc',
]; // biome-ignore format: a table

const FORBIDDEN_NAMES = [
  ...Object.keys(NAMES).filter((name) => !/open|rebinding|localhost$/.test(name)),
  ...['bücher.test', 'INSIDE.test', 'inside.test.', 'ｉｎｓｉｄｅ.test', 'in%73ide.test', 'absent.test'],
];

/** Addresses that are not of the web, or only look like it. */
const SCHEMES = [
  'file:///etc/passwd', 'FILE:///etc/passwd', 'file:/etc/passwd', 'file:etc/passwd', 'file://localhost/etc/passwd',
  'file://127.0.0.1/etc/passwd', ' file:///etc/passwd', 'fi\tle:///etc/passwd', '\u0001file:///etc/passwd', '///etc/passwd',
  'data:text/html,<p>hello', 'data:,hello', 'javascript:fetch("http://127.0.0.1:PORT/")', 'java\nscript:alert(1)',
  'blob:http://127.0.0.1:PORT/1', 'filesystem:http://127.0.0.1:PORT/temporary/x', 'view-source:http://127.0.0.1:PORT/',
  'view-source:file:///etc/passwd', 'chrome://version', 'chrome://inspect', 'chrome-error://chromewebdata/', 'chrome-extension://x/',
  'devtools://devtools/bundled/inspector.html', 'about:blank', 'about:version', 'about:srcdoc', 'ftp://127.0.0.1:PORT/', 'gopher://127.0.0.1:PORT/_x',
  'dict://127.0.0.1:PORT/x', 'ldap://127.0.0.1:PORT/', 'tftp://127.0.0.1:PORT/x', 'jar:http://127.0.0.1:PORT/!/', 'netdoc:///etc/passwd', 'ws://127.0.0.1:PORT/',
  'wss://127.0.0.1:PORT/', 'unix:///var/run/docker.sock', 'http+unix://%2fvar%2frun%2fdocker.sock/', 'http://file:///etc/passwd',
  'http://127.0.0.1:PORT\t/', 'http://127.0.\t0.1:PORT/', 'http://127.0.0.1\n:PORT/', 'ht\ntp://127.0.0.1:PORT/', 'http://open.test\r\n@127.0.0.1:PORT/',
  'http://open.test @127.0.0.1:PORT/', 'http://127.0.0.1:PORT:80/', 'http://127.0.0.1:-1/', 'http://127.0.0.1:99999/', 'http://127.0.0.1: PORT/',
  'http:127.0.0.1:PORT/', 'http://', 'http:', 'http:///', 'http://@/', 'http://?', 'http://#', 'https://127.0.0.1:PORT/',
]; // biome-ignore format: a table

/** Where parsers disagree about which part is the host, it is the one that browsers take. */
const ELSEWHERE = [
  'http://open.test:PORT\\@127.0.0.1:PORT/', 'http://open.test:PORT/@127.0.0.1:PORT/', 'http://open.test:PORT#@127.0.0.1:PORT/',
  'http://open.test:PORT?@127.0.0.1:PORT/', 'http://127.0.0.1:PORT@open.test:PORT/', 'http://127.0.0.1%2f@open.test:PORT/',
  'http://[::1]@open.test:PORT/', 'http://open.test:PORT/http://127.0.0.1:PORT/', 'http://open.test:PORT/..//127.0.0.1:PORT/',
  'http://open.test:PORT//127.0.0.1:PORT/', 'http://open.test:PORT/%0d%0aHost:%20127.0.0.1:PORT',
]; // biome-ignore format: a table

const withPort = (address: string) => address.replaceAll('PORT', String(port));
const spellingUrls = spellings(port).map((spell) => spell('1', ''));
const hostUrls = HOSTS.map((host) => `http://${host}:${port}/`);
const nameUrls = FORBIDDEN_NAMES.flatMap((name) => [`http://${name}:${port}/`, `https://${name}:${port}/`]);
const schemeUrls = SCHEMES.map(withPort);
const refused = [...new Set([...spellingUrls, ...hostUrls, ...nameUrls, ...schemeUrls])];

const ALLOWED_HOSTS = ['127.0.0.2', 'open.test', 'alias-of-open.test'];
const allowedUrls = [
  ...ALLOWED_HOSTS.map((host) => `http://${host}:${port}/heard`),
  ...ELSEWHERE.map(withPort),
];

/**
 * All of them for the plain fetch; for the browser, which takes longer, a sample unless the run is a full
 * one.
 */
const REFUSED: Record<EngineName, readonly string[]> = {
  'the plain fetch': refused,
  'the browser': sampleOf(refused, 4),
};

beforeAll(async () => {
  for (const engine of NAMES_OF_ENGINES) await judge(engine, [...REFUSED[engine], ...allowedUrls]);
  await judge(
    'the plain fetch',
    spellings(port).map((spell, index) => spell('2', `spelling-${index}-`)),
  );
}, 300_000);

describe.each(NAMES_OF_ENGINES)('%s', (engine) => {
  it.each(ALLOWED_HOSTS)('reaches %s, which it may', (host) => {
    expect(verdicts.get(`${engine} http://${host}:${port}/heard`)).toBeUndefined();
    expect(heardOf('GET /heard ')).toBe(true);
  });

  it.each(REFUSED[engine])('refuses %j', (url) => expectRefusal(engine, url));

  it.each(ELSEWHERE)('fetches only the allowed host for %j', (address) => {
    // Spellings that Node does not accept as an address are fine, too.
    expect([undefined, ...REFUSALS]).toContain(verdicts.get(`${engine} ${withPort(address)}`));
  });
});

it.each(spellings(port).map((spell, index) => [spell('2', ''), index]))(
  'the spelling %j leads to the allowed address',
  (_spelling, index) => expect(heardOf(`/spelling-${index}-`)).toBe(true),
);

describe('the canary', () => {
  beforeAll(async () => {
    for (const host of ['127.0.0.1', '127.0.0.3', '::1', '0.0.0.0', '127.0.0.2']) {
      const socket = connect(port, host, () => socket.end(`control ${host}`)).resume();
      await once(socket, 'close');
    }
    const udp = createSocket('udp4');
    await new Promise((sent) => udp.send('control udp', port, '127.0.0.1', sent));
    udp.close();
  });

  it('receives connections on every IP address of this machine', async () => {
    await expect
      .poll(() => readFile(inject('canary').ledger, 'utf8'))
      .toSatisfy((ledger: string) =>
        ['127.0.0.1', '127.0.0.3', '::1', '0.0.0.0', '127.0.0.2', 'udp'].every((host) =>
          ledger.includes(`"control ${host}"`),
        ),
      );
  });
});
