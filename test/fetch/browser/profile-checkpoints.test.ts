import { randomBytes, randomUUID } from 'node:crypto';
import type { BrowserContext } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { createProfiles } from '../../../src/fetch/browser/browser-profile.ts';
import type { Tab } from '../../../src/fetch/browser/tab.ts';
import { makeTeam, useDatabase } from '../../support/storage/database.ts';
import { pollUntil } from '../../support/suite/poll.ts';

/** What is saved of a profile while its browser runs. The browser is not real. */

const db = useDatabase();
let teamId: string;
beforeAll(async () => {
  ({ id: teamId } = await makeTeam(db));
});

/** A browser whose only cookie counts how often its state was read. */
function startFakeBrowser() {
  const restored: unknown[] = [];
  let reads = 0;
  const context = {
    setStorageState: async (state: unknown) => void restored.push(state),
    storageState: async () => ({ cookies: [{ name: 'reads', value: String(++reads) }], origins: [] }),
    pages: () => [],
    on: () => context,
  };
  // A profile uses nothing else of a context, and the session of a tab only where pages were visited.
  return { context: context as unknown as BrowserContext, tab: {} as Tab, restored };
}

describe('a profile', () => {
  it('is saved while its browser runs, so that a crash loses only what came after the last time', async () => {
    const profiles = createProfiles({
      db,
      secretKey: randomBytes(32).toString('hex'),
      checkpointIntervalMs: 20,
      logger: { warn: () => undefined },
    });
    const name = { teamId, name: randomUUID() };
    const savedAt = async () => {
      const row = await db.query
        .selectFrom('profiles')
        .select('saved_at')
        .where('team_id', '=', teamId)
        .where('name', '=', name.name)
        .executeTakeFirst();
      return row?.saved_at;
    };
    const crash = async () => {
      await using profile = await profiles.open({ ...name, saver: randomUUID() });
      const { context, tab } = startFakeBrowser();
      await profile.runWith(context, tab, async () => {
        await pollUntil(savedAt);
        await expect(profiles.open({ ...name, saver: randomUUID() })).rejects.toMatchObject({
          code: 'PROFILE_LOCKED',
        });
        throw new Error('the browser has crashed');
      });
    };
    await expect(crash()).rejects.toThrow('the browser has crashed');

    await using next = await profiles.open({ ...name, saver: randomUUID() });
    const { context, tab, restored } = startFakeBrowser();
    await next.runWith(context, tab, async () => undefined);
    expect(restored).toEqual([
      { cookies: [{ name: 'reads', value: expect.stringMatching(/^\d+$/) }], origins: [] },
    ]);
  });
});
