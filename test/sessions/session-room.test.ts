import { describe, expect, it } from 'vitest';
import { SessionRoom } from '../../src/sessions/session-room.ts';

const MEGABYTE = 1024 * 1024;

/** A host whose free memory the test sets. @param waitMs how long a session waits for room */
function hostWith(freeMb: number, waitMs: number) {
  const machine = { freeMb };
  const room = new SessionRoom({
    availableMemory: () => machine.freeMb * MEGABYTE,
    availableDescriptors: () => 10_000,
    roomWaitMs: waitMs,
  });
  return { machine, room };
}

const nothingToEnd = async () => false;

describe('a host that is short of memory', () => {
  it('lets a session begin as soon as there is room', async () => {
    const { machine, room } = hostWith(100, 60_000);
    const looked = Promise.withResolvers<void>();
    const entering = room.enter(async () => {
      looked.resolve();
      return false;
    });
    await looked.promise;
    machine.freeMb = 1_000;
    await expect(entering).resolves.toBeUndefined();
  });

  it('refuses a session that finds no room in time, and the next one is asked for its own', async () => {
    const { machine, room } = hostWith(100, 0);
    await expect(room.enter(nothingToEnd)).rejects.toMatchObject({
      code: 'SESSION_LIMIT_REACHED',
      message: expect.stringContaining('not enough memory'),
    });
    machine.freeMb = 1_000;
    await expect(room.enter(nothingToEnd)).resolves.toBeUndefined();
  });

  it('ends what sessions take precedence over', async () => {
    const { machine, room } = hostWith(100, 0);
    await expect(
      room.enter(async () => {
        machine.freeMb += 200;
        return true;
      }),
    ).resolves.toBeUndefined();
    expect(machine.freeMb).toBeGreaterThanOrEqual(300);
  });

  it('counts what a session that has just begun is going to use', async () => {
    const { room } = hostWith(420, 0);
    const starts = await Promise.allSettled([room.enter(nothingToEnd), room.enter(nothingToEnd)]);
    expect(starts.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});
