import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Random } from '../site/random.ts';
import type { Findings } from './findings.ts';

/** An event, by its `webhookId`. */
export interface ReceivedEvent {
  webhookId: string;
  jobId: string;
  type: string;
  /** The scrape id of its page; absent in events of the job itself. */
  pageId: string | undefined;
  success: boolean;
  /** Place of its first arrival among all first arrivals. */
  order: number;
  /** It was answered with 200. */
  received: boolean;
  digest: string;
}

/** A receiver of webhooks that is not always well. */
export interface Receiver {
  url: string;
  events: Map<string, ReceivedEvent>;
  close(): Promise<void>;
}

const wire = z.object({
  success: z.boolean(),
  type: z.string(),
  id: z.uuid(),
  webhookId: z.uuid(),
  data: z.array(z.object({ metadata: z.object({ scrapeId: z.uuid() }) })),
});

/** One of so many early pages is refused at first, one of so many others is answered late. */
const REFUSES = 10;
const SLOW = 50;
const SLOW_MS = 1_500;

/**
 * Takes in events; those that differ under one id are findings.
 * @param options.wellAfter how many events may be refused: later ones would be waited for at the end, for a minute
 */
export async function startReceiver(options: {
  random: Random;
  findings: Findings;
  wellAfter: number;
}): Promise<Receiver> {
  const { random, findings, wellAfter } = options;
  const events = new Map<string, ReceivedEvent>();

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = Buffer.concat(await request.toArray());
    const { success, type, id: jobId, webhookId, data } = wire.parse(JSON.parse(raw.toString()));
    const digest = createHash('sha256').update(raw).digest('hex');
    const pageId = data[0]?.metadata.scrapeId;
    const known = events.get(webhookId);
    const event = known ?? {
      ...{ webhookId, jobId, type, pageId, success, digest },
      ...{ order: events.size, received: false },
    };
    events.set(webhookId, event);
    findings.count('webhook requests');
    if (known) findings.count('webhook requests for an event that had come before');
    if (event.digest !== digest) findings.wrong(`webhook ${webhookId} came with two different bodies`);
    if (!known && pageId && events.size <= wellAfter && random.whole(REFUSES) === 0) {
      findings.count('webhook requests refused');
      response.writeHead(500).end();
      return;
    }
    if (random.whole(SLOW) === 0) await sleep(SLOW_MS);
    // Whoever was killed meanwhile does not hear it, but we had it all the same.
    event.received = true;
    response.writeHead(200).end();
  }

  const server = createServer((request, response) => {
    take(request, response).catch((error: unknown) => {
      // A request whose sender is killed is no event; a whole one that cannot be read is a wrong one.
      if (request.complete) findings.wrong(`a webhook request cannot be read: ${String(error)}`);
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Listening on a TCP port, the address is never a path.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/events`,
    events,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
