import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { Findings } from '../findings.ts';

/** An event of a check, by its `webhookId`. */
interface CheckEvent {
  checkId: string;
  /** What it tells: the end of the check, or a page by its URL. */
  what: string;
  digest: string;
}

/** A receiver of the events of checks. */
export interface CheckReceiver extends AsyncDisposable {
  url: string;
  events: Map<string, CheckEvent>;
}

const wire = z.object({
  type: z.enum(['monitor.page', 'monitor.check.completed']),
  id: z.uuid(),
  webhookId: z.uuid(),
  data: z.tuple([z.object({ url: z.string().optional() })]),
});

/** Receives the events of checks. Events that differ under the same id are findings. */
export async function startCheckReceiver(findings: Findings): Promise<CheckReceiver> {
  const events = new Map<string, CheckEvent>();

  async function take(request: IncomingMessage): Promise<void> {
    const raw = Buffer.concat(await request.toArray());
    const { type, id: checkId, webhookId, data } = wire.parse(JSON.parse(raw.toString()));
    const digest = createHash('sha256').update(raw).digest('hex');
    const known = events.get(webhookId);
    if (known && known.digest !== digest)
      findings.wrong(`webhook ${webhookId} came with two different bodies`);
    findings.count(known ? 'webhook requests for an event that had come before' : 'webhook events');
    events.set(webhookId, { checkId, what: data[0].url ?? type, digest });
  }

  const server = createServer((request, response) => {
    take(request).then(
      () => response.writeHead(200).end(),
      (error: unknown) => {
        // An incomplete request of a killed sender is no event. A complete one that cannot be read is wrong.
        if (request.complete) findings.wrong(`a webhook request cannot be read: ${String(error)}`);
        response.destroy();
      },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server on a TCP port has an AddressInfo, never a path.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/events`,
    events,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
