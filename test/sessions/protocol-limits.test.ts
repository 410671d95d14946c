import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { CdpConnection, type CdpMessage } from '../../src/fetch/browser/chromium/cdp.ts';
import { BrowserDownloads } from '../../src/sessions/downloads/browser-downloads.ts';
import { Downloads } from '../../src/sessions/downloads/downloads.ts';
import { MAX_CLIENTS, ProtocolClients } from '../../src/sessions/protocol/protocol-clients.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** What clients of the DevTools protocol may take of the host. Neither browser nor network is real. */

const MIB = 1024 * 1024;

/** A browser that answers what a client needs at its start, and whatever a test makes it say. */
function startFakeBrowser() {
  const [input, output] = [new PassThrough({ highWaterMark: 1024 }), new PassThrough()];
  const commands: CdpMessage[] = [];
  let attached = 0;
  const say = (message: CdpMessage) => output.write(`${JSON.stringify(message)}\0`);
  let text = '';
  const read = (chunk: Buffer) => {
    const parts = (text + chunk).split('\0');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const command: CdpMessage = JSON.parse(part);
      commands.push(command);
      if (command.method === 'Target.attachToBrowserTarget')
        say({ id: command.id!, result: { sessionId: `session-${attached++}` } });
    }
  };
  input.on('data', read);
  return {
    connection: new CdpConnection({ input, output }, { warn: console.warn }),
    input,
    output,
    commands,
    say,
  };
}

/** A socket that a test fills and empties. */
class FakeSocket extends EventEmitter {
  readonly OPEN = WebSocket.OPEN;
  readyState: number = WebSocket.OPEN;
  bufferedAmount = 0;
  isPaused = false;
  sent: string[] = [];
  closedWith: [code: number, reason: string] | undefined;
  send(data: Buffer) {
    this.sent.push(data.toString());
  }
  close(code: number, reason: string) {
    if (this.readyState !== WebSocket.OPEN) return;
    this.readyState = WebSocket.CLOSING;
    this.closedWith = [code, reason];
  }
  terminate() {
    this.readyState = WebSocket.CLOSED;
    this.emit('close');
  }
  pause() {
    this.isPaused = true;
  }
  resume() {
    this.isPaused = false;
  }
  receive(message: object | string) {
    this.emit('message', Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)), false);
  }
}

/** Nothing is stored in these tests. */
const NOWHERE = '/nowhere';

/** Connects fake clients to a fake browser, and waits until they are attached. */
async function connectClients(count: number) {
  const browser = startFakeBrowser();
  const clients = new ProtocolClients(browser.connection, {
    downloads: new BrowserDownloads(browser.connection, {
      directory: { downloads: NOWHERE, incoming: NOWHERE, artifacts: NOWHERE, uploads: NOWHERE },
      onCanceled: () => undefined,
      logger: { warn: () => undefined },
    }),
    files: new Downloads(NOWHERE),
  });
  const sockets = Array.from({ length: count }, () => new FakeSocket());
  for (const [index, socket] of sockets.entries()) {
    // The class has all that a client uses of a WebSocket.
    clients.connect(socket as unknown as WebSocket, { onActivity: () => undefined });
    socket.receive({ id: 1, method: 'Browser.getVersion' });
    await pollUntil(
      () => browser.commands.filter(({ method }) => method === 'Browser.getVersion').length > index,
    );
  }
  /** Makes the browser send an event to a client. */
  const sendEvent = async (index: number, bytes = 10) => {
    const heard = once(
      browser.connection.session(`session-${index}`) as unknown as EventEmitter,
      'Any.event',
    );
    browser.say({ method: 'Any.event', sessionId: `session-${index}`, params: { text: 'x'.repeat(bytes) } });
    await heard;
  };
  return { ...browser, clients, sockets, sendEvent };
}

describe('a client that does not read its messages', () => {
  it('is disconnected when 320 MiB wait for it, and is told what to do', async () => {
    const { sockets, sendEvent } = await connectClients(2);
    const [slow, other] = sockets;
    slow!.bufferedAmount = 319 * MIB;
    await sendEvent(0);
    expect(slow!.sent).toHaveLength(1);
    await sendEvent(0, 2 * MIB);
    expect(slow!.sent).toHaveLength(1);
    expect(slow!.closedWith).toEqual([
      1013,
      expect.stringMatching(/does not read its messages.*Connect again/),
    ]);
    expect(Buffer.byteLength(slow!.closedWith![1])).toBeLessThanOrEqual(123);
    await sendEvent(1);
    expect(other!.sent).toHaveLength(1);
    expect(other!.closedWith).toBeUndefined();
  });

  it('is disconnected before others when 512 MiB wait for all clients of a session together', async () => {
    const { sockets, sendEvent } = await connectClients(3);
    const [one, slowest, reading] = sockets;
    one!.bufferedAmount = 250 * MIB;
    slowest!.bufferedAmount = 270 * MIB;
    await sendEvent(2);
    expect(slowest!.closedWith?.[0]).toBe(1013);
    expect([one!.closedWith, reading!.closedWith]).toEqual([undefined, undefined]);
    expect(reading!.sent).toHaveLength(1);
  });

  it('is not waited for when twice as much waits for all clients of a session', async () => {
    const { sockets, sendEvent, clients } = await connectClients(5);
    for (const socket of sockets.slice(0, 4)) socket.bufferedAmount = 260 * MIB;
    await sendEvent(4);
    expect(sockets.filter(({ readyState }) => readyState === WebSocket.CLOSED)).toHaveLength(1);
    expect(clients.size).toBe(4);
  });
});

it('a session has room for a further client when it has fewer than it may have', async () => {
  const { clients, sockets } = await connectClients(MAX_CLIENTS);
  expect(clients.hasRoom).toBe(false);
  sockets[0]!.terminate();
  expect(clients.hasRoom).toBe(true);
});

describe('a message that would keep the host busy for seconds', () => {
  const values = '{},'.repeat(1_000_001);

  it.each([
    ['its session', `"sessionId":"ABC"`, { sessionId: 'ABC' }],
    ['the browser', '"last":1', {}],
  ])('is refused if it is a command to %s, and the client goes on', async (_what, end, ids) => {
    const { commands, sockets } = await connectClients(1);
    const [socket] = sockets;
    socket!.receive(`{"id":2,"method":"Any.command","params":{"list":[${values}0]},${end}}`);
    expect(JSON.parse(socket!.sent[0]!)).toEqual({
      id: 2,
      ...ids,
      error: { code: -32_000, message: 'the command has more than 1000000 values' },
    });
    socket!.receive({ id: 3, method: 'Any.command' });
    await pollUntil(() => commands.some(({ method }) => method === 'Any.command'));
    expect(commands.filter(({ method }) => method === 'Any.command')).toHaveLength(1);
  });

  it('disconnects the client if its id is not where clients write it', async () => {
    const { sockets } = await connectClients(1);
    sockets[0]!.receive(`{"params":[${values}0],"id":2,"method":"Any.command"}`);
    expect(sockets[0]!.closedWith).toEqual([1009, 'the command has more than 1000000 values']);
  });

  it('is replaced by an error if it is a result, and left out if it is an event', async () => {
    const { commands, output, sockets, sendEvent } = await connectClients(1);
    const [socket] = sockets;
    output.write(`{"method":"Any.event","params":{"list":[${values}0]},"sessionId":"session-0"}\0`);
    socket!.receive({ id: 2, method: 'Any.command' });
    const { id } = await pollUntil(() => commands.find(({ method }) => method === 'Any.command'));
    output.write(`{"id":${id},"result":{"list":[${values}0]},"sessionId":"session-0"}\0`);
    await sendEvent(0);
    const [response, event] = socket!.sent.map((each) => JSON.parse(each));
    expect(response).toEqual({
      id: 2,
      error: { code: -32_000, message: expect.stringContaining('more than 1000000 values. Ask for less') },
    });
    expect(event).toMatchObject({ method: 'Any.event', params: { text: expect.any(String) } });
  });

  it('lets its client wait, if it was long enough for others to notice', async () => {
    const { sockets } = await connectClients(1);
    const [socket] = sockets;
    // It depends on the machine how long it takes to handle a message.
    for (const mib of [4, 8, 16, 32, 64, 95])
      if (!socket!.isPaused)
        socket!.receive({ id: mib, method: 'Any.command', params: { text: 'x'.repeat(mib * MIB) } });
    expect(socket!.isPaused).toBe(true);
    await pollUntil(() => !socket!.isPaused);
  });
});

describe('a client that sends faster than the browser reads', () => {
  it('waits, and is read again when the browser has read', async () => {
    const { input, sockets } = await connectClients(1);
    const [socket] = sockets;
    input.pause();
    const message = { id: 2, method: 'Any.command', params: { text: 'x'.repeat(MIB) } };
    for (let mib = 0; mib < 129; mib++) socket!.receive({ ...message, id: 2 + mib });
    expect(socket!.isPaused).toBe(true);
    input.resume();
    await pollUntil(() => !socket!.isPaused);
  });

  it('gets an error for commands beyond 10,000 without a response', async () => {
    const { sockets } = await connectClients(1);
    const [socket] = sockets;
    // One has no response from the start.
    for (let id = 2; id <= 10_001; id++) socket!.receive(`{"id":${id},"method":"Any.command"}`);
    const [refused] = socket!.sent.map((each) => JSON.parse(each));
    expect(refused).toEqual({
      id: 10_001,
      error: { code: -32_000, message: expect.stringContaining('wait for them') },
    });
    expect(socket!.sent).toHaveLength(1);
  });
});
