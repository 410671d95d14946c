import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { scrape } from '../support/api/call.ts';
import { chromiumProcesses } from '../support/processes/service-processes.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';
import { pollUntil } from '../support/suite/poll.ts';
import { ALLOWED, expectSilence } from './canary.ts';

const service = useService();

const { port } = inject('canary');

const ENGINES = [
  ['the plain fetch', { fastMode: true }],
  ['the browser', { waitFor: 1 }],
] as const;

const INSIDE = ['127.0.0.1', '[::1]', 'inside.test', 'localhost'];

afterEach(expectSilence);

describe('the ports of the service', () => {
  async function ownPorts(): Promise<[string, string][]> {
    const run = service.readRunFile();
    const urls = Object.entries(run.urls).map(([name, url]): [string, string] => [
      name,
      /:(\d+)(?!.*:\d)/.exec(url)![1]!,
    ]);
    // A browser without work ends after a minute.
    const browser = await pollUntil(async () => {
      const [running] = chromiumProcesses();
      if (!running) await scrape({ url: `http://${ALLOWED}:${port}/`, waitFor: 1, maxAge: 0 });
      return running;
    });
    const proxy = /--proxy-server=\S+:(\d+)/.exec(browser.command)![1]!;
    return [...urls, ['the egress proxy', proxy]];
  }

  it('accept connections from this machine', async () => {
    const names = (await ownPorts()).map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining(['api', 'temporal', 'the egress proxy']));
    for (const [, own] of await ownPorts()) {
      const socket = connect(Number(own), '127.0.0.1');
      await once(socket, 'connect');
      socket.destroy();
    }
  });

  it.each(ENGINES)('are refused to %s', async (_name, options) => {
    for (const [name, own] of await ownPorts()) {
      for (const host of INSIDE) {
        const { body } = await scrape({ url: `http://${host}:${own}/`, maxAge: 0, ...options });
        expect(body, name).toMatchObject({ success: false, code: 'unsafe_domain_blocked' });
      }
    }
  });

  it('are refused to scripts of a page', async () => {
    const ports = (await ownPorts()).map(([, own]) => own);
    const addresses = [
      `http://${ALLOWED}:${port}/`,
      ...ports.flatMap((own) => INSIDE.map((host) => `http://${host}:${own}/`)),
    ];
    await using site = await startPages(
      {
        '/': `<main id="found"></main><script>
          Promise.all(${JSON.stringify(addresses)}.map((address) =>
            fetch(address, { mode: 'no-cors' }).then(() => address, () => '')))
            .then((reached) => { found.textContent = 'Reached: ' + reached.filter(Boolean).join(' '); });
        </script>`,
      },
      ALLOWED,
    );
    // On a busy machine the page may be read before it has tried all of them.
    const reached = await pollUntil(async () => {
      const { body } = await scrape({
        url: `${site.url}/`,
        waitFor: 10_000,
        maxAge: 0,
        formats: ['rawHtml'],
      });
      return /Reached: ([^<]*)<\/main>/.exec(body.data.rawHtml);
    });
    expect(reached[1]).toBe(addresses[0]);
  });
});
