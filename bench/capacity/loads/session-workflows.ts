import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { beginSession } from '../../../src/temporal/workflow-starts.ts';
import type { Load, SharedParts } from './load.ts';
import { openWorkflows } from './workflows.ts';

/**
 * Workflows of browser sessions, without browsers: each begins on its host, is stopped by a signal as by a request,
 * and is settled. An operation is a session. Each simulated worker is a client with one session at a time.
 */
export async function openSessionWorkflows(parts: SharedParts): Promise<Load> {
  const queue = `sessions-${parts.name}`;
  const stops = new Map<string, PromiseWithResolvers<void>>();
  const settled = new Map<string, () => void>();
  const { client, close } = await openWorkflows(
    parts,
    {
      startSession: async () => ({ queue }),
      async keepSession(id) {
        Context.current().heartbeat();
        await stops.get(id)?.promise;
        return { reason: 'deleted' };
      },
      async stopSession(id) {
        stops.get(id)?.resolve();
        return undefined;
      },
      async settleSession(id) {
        stops.delete(id);
        settled.get(id)?.();
        settled.delete(id);
        return { durationMs: 60_000, credits: 2 };
      },
    },
    queue,
  );
  return {
    async addWorker() {
      const teamId = randomUUID();
      return async () => {
        const sessionId = randomUUID();
        const end = Promise.withResolvers<void>();
        stops.set(sessionId, Promise.withResolvers<void>());
        settled.set(sessionId, end.resolve);
        await beginSession(client, {
          kind: 'browser',
          sessionId,
          teamId,
          label: 'Browser session',
          expiresAt: Date.now() + 600_000,
          activityTtlMs: 300_000,
          hostQueue: queue,
        });
        await client.workflow.getHandle(`browser/${sessionId}`).signal('stop');
        await end.promise;
        return 1;
      };
    },
    close,
  };
}
