import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { CdpConnection, type CdpMessage } from '../../../src/fetch/browser/chromium/cdp.ts';
import { interceptRequests } from '../../../src/fetch/browser/network/request-interception.ts';
import type { Tab } from '../../../src/fetch/browser/tab.ts';
import { applyRequestRules } from '../../../src/sessions/browser/session-requests.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/** What a message of the browser can do to others, all of which share its pipe. The browser is a pair of streams. */

/** A browser that responds to each command with an empty result, and says what a test makes it say. */
function startFakeBrowser() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const commands: CdpMessage[] = [];
  const logged: object[] = [];
  input.on('data', (chunk: Buffer) => {
    for (const text of chunk.toString().split('\0').filter(Boolean)) {
      const command: CdpMessage = JSON.parse(text);
      commands.push(command);
      output.write(`${JSON.stringify({ id: command.id, result: { targetInfos: [] } })}\0`);
    }
  });
  const logger = { warn: (details: object) => void logged.push(details) };
  return {
    connection: new CdpConnection({ input, output }, logger),
    commands,
    logged,
    /** Sends messages in one piece, as a browser that is faster than its reader writes them. */
    say: (...messages: (CdpMessage | string)[]) =>
      output.write(
        messages.map((each) => `${typeof each === 'string' ? each : JSON.stringify(each)}\0`).join(''),
      ),
  };
}

describe('a message that cannot be handled is logged, and those after it are handled', () => {
  it('when a listener of a page fails', async () => {
    const { connection, logged, say } = startFakeBrowser();
    const heard: unknown[] = [];
    connection.session('page').on('Page.loadEventFired', () => {
      throw new Error('as if by a strange URL');
    });
    connection.session('other').on('Page.loadEventFired', (event) => heard.push(event));
    const event = { method: 'Page.loadEventFired', params: { timestamp: 1 } };
    say({ ...event, sessionId: 'page' }, { ...event, sessionId: 'other' });
    await pollUntil(() => heard.length > 0);
    expect(heard).toEqual([{ timestamp: 1 }]);
    expect(logged).toEqual([{ err: expect.any(Error), method: 'Page.loadEventFired' }]);
  });

  it('when one of those who hear all events fails, of whom the others hear it', async () => {
    const { connection, logged, say } = startFakeBrowser();
    const heard: (string | undefined)[] = [];
    connection.onEvent(() => {
      throw new Error('a client that is gone');
    });
    connection.onEvent(({ method }) => heard.push(method));
    say({ method: 'Any.event' });
    await pollUntil(() => heard.length > 0);
    expect([heard, logged.length]).toEqual([['Any.event'], 1]);
  });

  it('when it is no JSON', async () => {
    const { connection, logged, say } = startFakeBrowser();
    const heard: (string | undefined)[] = [];
    connection.onEvent(({ method }) => heard.push(method));
    say('{"method":', { method: 'Any.event' });
    await pollUntil(() => heard.length > 0);
    expect([heard, logged]).toEqual([['Any.event'], [{ err: expect.any(SyntaxError) }]]);
  });
});

describe('a request for a URL that Chromium accepts and Node does not goes on', () => {
  const request = { url: 'http://xn--a/', headers: {} };

  it('in a session', async () => {
    const { connection, commands, logged, say } = startFakeBrowser();
    await applyRequestRules(connection, { failureOf: () => undefined });
    const params = { requestId: 'it', request, resourceType: 'Document', responseErrorReason: 'Failed' };
    say({ method: 'Fetch.requestPaused', params });
    const sent = await pollUntil(() => commands.find(({ method }) => method === 'Fetch.continueRequest'));
    expect([sent.params, logged]).toEqual([{ requestId: 'it' }, []]);
  });

  it('in a scrape with headers, without them', async () => {
    const { connection, commands, logged, say } = startFakeBrowser();
    const session = connection.session('page');
    // The interception needs no more of a tab.
    const tab = {
      session,
      frameId: 'page',
      prepareFrames: (prepare: (each: typeof session) => Promise<void>) => prepare(session),
    } as unknown as Tab;
    const headers = { origin: new URL('http://shop.example/'), values: { authorization: 'secret' } };
    await interceptRequests(tab, { headers });
    const params = { requestId: 'it', request, resourceType: 'Image', frameId: 'page' };
    say({ method: 'Fetch.requestPaused', sessionId: 'page', params });
    const sent = await pollUntil(() => commands.find(({ method }) => method === 'Fetch.continueRequest'));
    expect([sent.params, logged]).toEqual([{ requestId: 'it' }, []]);
  });
});
