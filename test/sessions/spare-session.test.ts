import { expect, it } from 'vitest';
import type { SessionEndReason } from '../../src/schemas/session-end.ts';
import { SpareSession } from '../../src/sessions/spare-session.ts';

/** Sessions that only count, because starting real browsers is tested elsewhere. */
function countingSessions() {
  const open = new Map<number, FakeSession>();
  let started = 0;
  const start = async () => {
    const session = new FakeSession(++started);
    open.set(session.number, session);
    void session.ended.then(() => open.delete(session.number));
    return session;
  };
  return { start, open };
}

class FakeSession {
  readonly number: number;
  readonly languages: string[] = [];
  readonly #end = Promise.withResolvers<SessionEndReason>();
  readonly ended = this.#end.promise;
  hasEnded = false;

  constructor(number: number) {
    this.number = number;
  }

  async startLanguage(language: string) {
    this.languages.push(language);
  }

  async end(reason: SessionEndReason) {
    this.hasEnded = true;
    this.#end.resolve(reason);
  }
}

it('a session gets the spare one, and never one that somebody else had', async () => {
  const { start, open } = countingSessions();
  const spare = new SpareSession(start);
  const first = await spare.take();
  await Promise.all([spare.prepare({ runsNode: false }), spare.prepare({ runsNode: false })]);
  const taken = await Promise.all([spare.take(), spare.take()]);
  expect(new Set([first, ...taken]).size).toBe(3);
  expect(open.size).toBe(3);
});

it('a spare session can execute JavaScript at once where sessions do that', async () => {
  const spare = new SpareSession(countingSessions().start);
  await spare.prepare({ runsNode: false });
  await spare.prepare({ runsNode: true });
  expect(await spare.take()).toMatchObject({ number: 1, languages: ['node'] });
  await spare.prepare({ runsNode: false });
  expect(await spare.take()).toMatchObject({ number: 2, languages: [] });
});

it('a spare session that dies is not given to anyone', async () => {
  const { start, open } = countingSessions();
  const spare = new SpareSession(start);
  await spare.prepare({ runsNode: false });
  await open.get(1)!.end('crashed');
  expect(await spare.take()).toMatchObject({ number: 2 });
});

it('no browser remains when the host ends', async () => {
  const { start, open } = countingSessions();
  const spare = new SpareSession(start);
  await spare.prepare({ runsNode: false });
  await spare.close();
  expect(open.size).toBe(0);
});

it('a session starts its own browser if the spare one did not start', async () => {
  const { start } = countingSessions();
  let failures = 1;
  const spare = new SpareSession(() => (failures-- > 0 ? Promise.reject(new Error('no memory')) : start()));
  await spare.prepare({ runsNode: true });
  expect(await spare.take()).toMatchObject({ number: 1 });
});
