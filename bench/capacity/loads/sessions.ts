import { randomUUID } from 'node:crypto';
import { DEFAULT_VISITOR } from '../../../src/schemas/session.ts';
import { openDatabase } from '../../../src/storage/db/client.ts';
import { endSession, insertSession, openSession, recordActivity } from '../../../src/storage/db/sessions.ts';
import { createSessionSalt } from '../../../src/system/encryption/session-secrets.ts';
import { addTeam, type Load, type SharedParts } from './load.ts';

/**
 * Browser sessions: each is stored, opened, used once, ended and billed. An operation is a session. Each simulated
 * worker is a team of its own.
 */
export function openSessions({ databaseUrl, name }: SharedParts): Load {
  const db = openDatabase(databaseUrl, (error) => console.error(error.message));
  return {
    async addWorker(number) {
      const teamId = await addTeam(db, `sessions-${name}-${number}`);
      return async () => {
        const id = randomUUID();
        const session = {
          id,
          teamId,
          apiKeyId: null,
          kind: 'browser' as const,
          target: 'Browser session',
          salt: createSessionSalt(),
          ttlSeconds: 600,
          activityTtlSeconds: 300,
          streamWebView: true,
          visitor: DEFAULT_VISITOR,
          isRecorded: false,
          keptMs: 86_400_000,
        };
        await db.query.transaction().execute((query) => insertSession(query, session));
        await openSession(db, { id, host: `host-${number}` });
        await recordActivity(db, { id, at: new Date() });
        await endSession(db, { id, reason: 'deleted' });
        return 1;
      };
    },
    close: () => db.close(),
  };
}
