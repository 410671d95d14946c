import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  acquireSlot,
  countSlots,
  releaseSlot,
  renewSlot,
  SLOT_LEASE_SECONDS,
} from '../../../src/storage/db/teams/slots.ts';
import { makeTeam, useDatabase } from '../../support/storage/database.ts';

const db = useDatabase();
let teamId: string;

beforeEach(async () => {
  teamId = (await makeTeam(db)).id;
});

const acquire = (limit: number, holder: string = randomUUID()) => acquireSlot(db, { teamId, holder, limit });

/** Most of a lease, in seconds; the rest is more than a slow machine takes for a query. */
const MOST_OF_LEASE = 0.6 * SLOT_LEASE_SECONDS;

/** Makes the leases of the team so much older. */
const age = (seconds: number) =>
  db.query
    .updateTable('slots')
    .set({ expires_at: sql<Date>`expires_at - make_interval(secs => ${seconds})` })
    .where('team_id', '=', teamId)
    .execute();

describe('slots', () => {
  it('never exceed the limit, however many try at once', async () => {
    for (let round = 0; round < 5; round++) {
      const taken = await Promise.all(Array.from({ length: 50 }, () => acquire(7)));
      expect(await countSlots(db, teamId)).toBeLessThanOrEqual(7);
      expect(taken.filter(Boolean).length).toBeLessThanOrEqual(7);
    }
    // Those that lost a race try again, and in the end every slot is used.
    while (await acquire(7));
    expect(await countSlots(db, teamId)).toBe(7);
  });

  it('belong to one team', async () => {
    expect([await acquire(1), await acquire(1)]).toEqual(['taken', undefined]);
    const other = (await makeTeam(db)).id;
    expect(await acquireSlot(db, { teamId: other, holder: 'x', limit: 1 })).toBe('taken');
    expect(await countSlots(db, other)).toBe(1);
  });

  it('are freed when their holder releases them', async () => {
    await acquire(1, 'first');
    await releaseSlot(db, teamId, 'second');
    expect(await acquire(1, 'second')).toBeUndefined();
    await releaseSlot(db, teamId, 'first');
    expect(await acquire(1, 'second')).toBe('taken');
  });

  it('expire without renewal and can then be taken again', async () => {
    await acquire(1, 'first');
    await age(SLOT_LEASE_SECONDS);
    expect(await countSlots(db, teamId)).toBe(0);
    expect(await acquire(1, 'second')).toBe('taken');
    // The late one neither gets it back nor gives it away.
    await renewSlot(db, teamId, 'first');
    await releaseSlot(db, teamId, 'first');
    expect(await countSlots(db, teamId)).toBe(1);
    expect(await acquire(1, 'third')).toBeUndefined();
  });

  it('are kept by renewal', async () => {
    await acquire(1, 'first');
    await age(MOST_OF_LEASE);
    await renewSlot(db, teamId, 'first');
    await age(MOST_OF_LEASE);
    expect(await acquire(1, 'second')).toBeUndefined();
  });

  it('stay with their holder, which may ask again', async () => {
    expect([await acquire(1, 'first'), await acquire(1, 'first')]).toEqual(['taken', 'held']);
    expect(await countSlots(db, teamId)).toBe(1);
    await age(MOST_OF_LEASE);
    await acquire(1, 'first');
    await age(MOST_OF_LEASE);
    expect(await acquire(1, 'second')).toBeUndefined();
  });

  it('decrease when the limit is lowered', async () => {
    for (let taken = 0; taken < 3; taken++) await acquire(3);
    expect(await acquire(1)).toBeUndefined();
    expect(await countSlots(db, teamId)).toBe(3);
  });
});
