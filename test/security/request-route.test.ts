import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { scrape } from '../support/api/call.ts';
import { expectSilence, heardOf, sightings } from './canary.ts';
import { proxyEnvironment } from './service.ts';

const { port } = inject('canary');

const ENGINES = [
  ['the plain fetch', { fastMode: true }],
  ['the browser', { waitFor: 1 }],
] as const;

/** The other files keep the same browser busy meanwhile. */
const TIMEOUT = { timeout: 60_000 };

afterEach(expectSilence);

describe('the route of a request', () => {
  it('ignores the proxy variables of the environment', async () => {
    const env = { ...process.env, ...proxyEnvironment(port) };
    // One request by one connection: a killed one would leave an empty sighting.
    const script = `require('node:http').get('http://control-proxy.test/', (answer) => answer.resume())`;
    await once(spawn(process.execPath, ['-e', script], { env, stdio: 'inherit' }), 'exit');
    // Node goes by it, so the variables mean something; the service was started with the same ones.
    expect(sightings().some(({ head }) => head.includes('control-proxy.test'))).toBe(true);
  });

  const inside = `127.0.0.1:${port}`;
  const FORWARDING = {
    'X-Forwarded-Host': inside,
    'X-Original-URL': `http://${inside}/`,
    Forwarded: `host=${inside}`,
  };
  /** Scrapes a page of the canary, and requires that exactly this page was requested and read. */
  async function expectRead(path: string, options: Record<string, unknown>) {
    const { body } = await scrape({
      url: `http://open.test:${port}/${path}`,
      maxAge: 0,
      ...TIMEOUT,
      ...options,
    });
    expect(body.data?.markdown, JSON.stringify(body)).toContain('The canary sang');
    expect(heardOf(`GET /${path} `)).toBe(true);
  }

  it.each(ENGINES)('is not changed by forwarding headers, in %s', async (name, options) => {
    await expectRead(`forwarding-${name.replaceAll(' ', '-')}`, { ...options, headers: FORWARDING });
  });

  // Chromium refuses to override Host; the page is read all the same.
  it.each(ENGINES)('is not changed by a Host header, in %s', async (name, options) => {
    await expectRead(`host-${name.replaceAll(' ', '-')}`, { ...options, headers: { Host: inside } });
  });
});
