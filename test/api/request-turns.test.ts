import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { RequestTurns } from '../../src/api/http/request-turns.ts';

/** Runs tasks of owners in order, each named by its owner and number, until they are ended. */
function start(turns: RequestTurns, owners: string) {
  const running: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const results = [...owners].map((owner, index) => {
    const name = `${owner}${index}`;
    return turns.run(owner, async () => {
      running.push(name);
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      ends.set(name, (error) => (error ? reject(error) : resolve(name)));
      return promise.finally(() => running.splice(running.indexOf(name), 1));
    });
  });
  return {
    running,
    results,
    async end(name: string, error?: Error) {
      ends.get(name)!(error);
      await turn();
    },
  };
}

it('an owner has a few requests at work, the next one when one of them ends, and others do not wait', async () => {
  const { running, results, end } = start(new RequestTurns(2), 'aaaabb');
  await turn();
  expect(running).toEqual(['a0', 'a1', 'b4', 'b5']);
  await end('a1');
  expect(running).toEqual(['a0', 'b4', 'b5', 'a2']);
  expect(await results[1]).toBe('a1');
  await end('a0');
  expect(running).toEqual(['b4', 'b5', 'a2', 'a3']);
});

it('a request that fails passes its turn on', async () => {
  const turns = new RequestTurns(1);
  const { running, results, end } = start(turns, 'aa');
  await turn();
  const failed = expect(results[0]).rejects.toThrow('planted');
  await end('a0', new Error('planted'));
  await failed;
  expect(running).toEqual(['a1']);
  await end('a1');
  const later = start(turns, 'aa');
  await turn();
  expect(later.running).toEqual(['a0']);
});
