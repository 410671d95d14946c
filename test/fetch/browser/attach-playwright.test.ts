import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createTabTransport } from '../../../src/fetch/browser/attach-playwright.ts';
import type { BrowsingContext } from '../../../src/fetch/browser/chromium/browsing-context.ts';
import { CdpConnection, type CdpMessage } from '../../../src/fetch/browser/chromium/cdp.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/** What Playwright is told of a tab. Its browser is a pair of streams. */

const SESSION = 'session-of-playwright';

/** A connection to a browser that responds to each command with the messages that the test wants. */
function startFakeBrowser(respond: (command: CdpMessage) => CdpMessage[]): CdpConnection {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.on('data', (chunk: Buffer) => {
    const commands = chunk.toString().split('\0').filter(Boolean);
    const messages = commands.flatMap((command) => respond(JSON.parse(command)));
    // In one piece, as a browser that is faster than its reader writes them.
    output.write(messages.map((message) => `${JSON.stringify(message)}\0`).join(''));
  });
  return new CdpConnection({ input, output }, { warn: console.warn });
}

it('Playwright gets the frames of a tab before the events of these frames, however fast the browser is', async () => {
  const connection = startFakeBrowser(({ id, method, sessionId }) => {
    const result = method === 'Target.attachToTarget' ? { sessionId: SESSION } : { targetInfo: {} };
    const response: CdpMessage = { id: id!, ...(sessionId && { sessionId }), result };
    const event: CdpMessage = { sessionId: SESSION, method: 'Runtime.executionContextCreated', params: {} };
    return method === 'Runtime.enable' ? [event, response] : [response];
  });
  // The transport needs only the connection of the context.
  const context = { id: 'context', connection } as BrowsingContext;
  const transport = createTabTransport({ context, targetId: 'tab' });
  const received: (number | string | undefined)[] = [];
  transport.onmessage = (message) => {
    const { id, method } = message as CdpMessage;
    received.push(id ?? method);
    if (id === 2) void readFrames().then(() => received.push('frames are known'));
  };
  transport.send({ id: 1, method: 'Target.setAutoAttach' });
  await pollUntil(async () => received.includes(1));
  received.length = 0;
  transport.send({ id: 2, sessionId: SESSION, method: 'Page.getFrameTree' });
  transport.send({ id: 3, sessionId: SESSION, method: 'Runtime.enable' });
  await pollUntil(async () => received.length === 4);
  expect(received).toEqual([2, 'frames are known', 'Runtime.executionContextCreated', 3]);
});

/** A response passes through some promises before Playwright knows what it says. */
async function readFrames(): Promise<void> {
  for (let promises = 0; promises < 20; promises++) await Promise.resolve();
}
