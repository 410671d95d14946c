import { describe, expect, it } from 'vitest';
import { Slots } from '../../../src/fetch/browser/chromium/slots.ts';

const never = new AbortController().signal;

/** Asks for a slot for each owner in turn. @returns those that have got theirs, in that order */
function ask(slots: Slots, owners: readonly string[], signal = never): string[] {
  const started: string[] = [];
  // The signal of a test may fire while one waits.
  for (const owner of owners)
    slots.acquire(owner, signal).then(
      () => started.push(owner),
      () => undefined,
    );
  return started;
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the slots of a browser', () => {
  it('are all for one owner while nobody else wants any', async () => {
    const slots = new Slots(4);
    const started = ask(slots, Array(10).fill('a'));
    await settle();
    expect(started).toEqual(Array(4).fill('a'));
  });

  it('are a quarter more for owners that have none, whatever the others do', async () => {
    const slots = new Slots(8);
    ask(slots, Array(30).fill('hostile'));
    const others = ask(slots, ['b', 'b', 'c', 'd']);
    await settle();
    expect(others).toEqual(['b', 'c']);
  });

  it('go to the owner with the fewest when they are free, in the order of the requests', async () => {
    const slots = new Slots(4);
    const started = ask(slots, ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'c', 'c']);
    await settle();
    expect(started).toEqual(['a', 'a', 'a', 'a', 'b']);
    for (let slot = 0; slot < 4; slot++) slots.release('a');
    await settle();
    expect(started.slice(5)).toEqual(['c', 'a', 'b']);
  });

  it('are free again when who waited for one has left', async () => {
    const slots = new Slots(1);
    ask(slots, ['a']);
    const left = new AbortController();
    const leaving = slots.acquire('a', left.signal);
    left.abort(new Error('left'));
    await expect(leaving).rejects.toThrow('left');
    slots.release('a');
    const started = ask(slots, ['a']);
    await settle();
    expect(started).toEqual(['a']);
    await expect(slots.acquire('a', left.signal)).rejects.toThrow('left');
  });
});
