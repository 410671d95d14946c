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
  /** The scrape id of its page; undefined for events of the job itself. */
  pageId: string | undefined;
  success: boolean;
  /** Position of its first arrival among all first arrivals. */
  order: number;
  /** Whether it was answered with 200. */
  received: boolean;
  digest: string;
}

/** A webhook receiver that sometimes fails. */
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

/** One of this many early events is refused at first, and one of so many others is answered late. */
const REFUSES = 10;
const SLOW = 50;
const SLOW_MS = 1_500;

/**
 * Receives events. Events that differ under the same id are findings.
 * @param options.wellAfter number of events after which none is refused, because the end of the run would
 * have to wait a
 *   minute for their retry
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
      webhookId,
      jobId,
      type,
      pageId,
      success,
      digest,
      order: events.size,
      received: false,
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
    // The event was received, even if the sender was killed and never gets the response.
    event.received = true;
    response.writeHead(200).end();
  }

  const server = createServer((request, response) => {
    take(request, response).catch((error: unknown) => {
      // An incomplete request of a killed sender is no event. A complete one that cannot be read is wrong.
      if (request.complete) findings.wrong(`a webhook request cannot be read: ${String(error)}`);
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server on a TCP port has an AddressInfo, never a path.
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
