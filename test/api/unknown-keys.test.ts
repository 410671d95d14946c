import { expect, it } from 'vitest';
import { createAuth } from '../../src/api/http/auth.ts';
import type { Database } from '../../src/storage/db/client.ts';
import type { Caller } from '../../src/storage/db/teams/teams.ts';

/** Lookups of API keys, with a database that answers when the test lets it. */
function open() {
  const asked: string[] = [];
  const answers = new Map<string, () => void>();
  // Each key of a team begins with its name; only the id of the team matters here.
  const callerOf = (key: string) => (key.startsWith('team') ? ({ teamId: key } as Caller) : undefined);
  const find = (key: string) =>
    new Promise<Caller | undefined>((resolve) => {
      asked.push(key);
      answers.set(key, () => resolve(callerOf(key)));
    });
  // The database is asked by `find` alone.
  const authenticate = createAuth({} as Database, true, find);
  return {
    asked,
    answer: (key: string) => answers.get(key)?.(),
    request: (key: string, from: string) => authenticate(`Bearer ${key}`, from),
  };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

it('a flood of invented keys takes up four lookups, and a key that was found before waits for none', async () => {
  const { asked, answer, request } = open();
  const first = request('team-1', 'a');
  await settle();
  answer('team-1');
  await first;
  const flood = Array.from({ length: 500 }, (_, n) => request(`invented-${n}`, 'hostile'));
  for (const each of flood) each.catch(() => undefined);
  await settle();
  expect(asked).toEqual(['team-1', ...[0, 1, 2, 3].map((n) => `invented-${n}`)]);
  const again = request('team-1', 'a');
  await settle();
  answer('team-1');
  expect(await again).toEqual({ teamId: 'team-1' });
});

it('a key that comes for the first time is looked up in the turn of its client, not after the flood', async () => {
  const { asked, answer, request } = open();
  const flood = Array.from({ length: 500 }, (_, n) => request(`invented-${n}`, 'hostile'));
  for (const each of flood) each.catch(() => undefined);
  const honest = request('team-2', 'b');
  await settle();
  answer('invented-0');
  answer('invented-1');
  await settle();
  expect(asked).toContain('team-2');
  answer('team-2');
  expect(await honest).toEqual({ teamId: 'team-2' });
  await expect(flood[0]).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});
