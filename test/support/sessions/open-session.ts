import { createEgress } from '../../../src/fetch/net/checked-egress.ts';
import { startEgressProxy } from '../../../src/fetch/net/egress-proxy.ts';
import type { SessionVisitor } from '../../../src/schemas/session.ts';
import type { HostedSession } from '../../../src/sessions/hosted-session.ts';
import { MAX_MESSAGE_BYTES } from '../../../src/sessions/protocol/client-socket.ts';
import type { SessionHostOptions } from '../../../src/sessions/session-host.ts';
import { serveSockets } from '../network/serve-sockets.ts';
import { openTestSessionHost } from './session-host.ts';

/** A host of sessions that reach loopback, without a service. */
export interface OpenTestSessions extends AsyncDisposable {
  /** Opens a session. @returns it with the URL at which protocol clients connect */
  open(visitor?: SessionVisitor): Promise<{ session: HostedSession; url: string }>;
}

/** Opens a host of sessions that reach loopback. @param options what sets it apart from a usual one */
export async function openTestSessions(options: Partial<SessionHostOptions> = {}): Promise<OpenTestSessions> {
  await using started = new AsyncDisposableStack();
  const egress = createEgress({ allowPrivate: ['127.0.0.0/8'] });
  started.defer(() => egress.close());
  const proxy = await startEgressProxy(egress);
  started.defer(() => proxy.close());
  const { host } = started.use(await openTestSessionHost({ proxy, ...options }));
  const resources = started.move();
  return {
    async open(visitor) {
      const session = await host.open(crypto.randomUUID(), { visitor });
      const { url } = resources.use(
        await serveSockets((socket) => session.addClient(socket), { maxPayload: MAX_MESSAGE_BYTES }),
      );
      return { session, url };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
