import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { WEBHOOK_EVENTS } from '../../../src/schemas/webhook-events.ts';
import { listenOnNewPort } from '../network/listen.ts';
import { pollUntil } from '../suite/poll.ts';

/** The body of an event as the API reference has it: a part that its schema lacks is missing. */
export const declaredBody = ({ event }: Received): unknown =>
  WEBHOOK_EVENTS.find(({ type }) => type === event.type)?.body.parse(event);

/** A request that the webhook receiver got. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  raw: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests read events as a receiver without types does
  event: any;
}

/** A receiver of webhooks. */
export interface Receiver extends AsyncDisposable {
  url: string;
  /** In the order of their arrival. */
  received: Received[];
  /** Most requests that were open at once. */
  most: number;
  /** Resolves when this many have arrived. */
  until(count: number): Promise<Received[]>;
}

/**
 * Takes in what webhooks send.
 * @param answer the status for each request; default 200. A promise holds the answer back.
 */
export async function startReceiver(
  answer: (received: Received) => number | Promise<number> = () => 200,
): Promise<Receiver> {
  let open = 0;
  const server = createServer(async (request, response) => {
    receiver.most = Math.max(receiver.most, ++open);
    response.once('close', () => open--);
    const raw = Buffer.concat(await request.toArray());
    const one = { path: request.url ?? '', headers: request.headers, raw, event: JSON.parse(raw.toString()) };
    receiver.received.push(one);
    const status = await answer(one);
    response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end('thanks');
  });
  const port = await listenOnNewPort(server);
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    received: [],
    most: 0,
    async until(count) {
      await pollUntil(() => receiver.received.length >= count);
      return receiver.received;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return receiver;
}

/**
 * The port of the protocol "discard", at which nobody listens. A port that was free a moment ago may be that
 * of another server by now.
 */
export const CLOSED_PORT = 9;

/** The URL of a webhook at which nobody listens. */
export const DEAD_URL = `http://127.0.0.1:${CLOSED_PORT}/hook`;
