import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startDeadline } from '../../../src/jobs/scraping/deadline.ts';

/** The time that counts towards the timeout of a page, with a clock that the test controls. */

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const page = { url: 'http://a.test/', timeout: 1_000 };
const never = new AbortController().signal;
const OVERTIME_MS = 20 * 60_000;
const hold = () => Promise.withResolvers<void>();

describe('the timeout of a page', () => {
  it('is the timeout of its request', () => {
    using deadline = startDeadline(page, never);
    vi.advanceTimersByTime(999);
    expect(deadline.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(deadline.signal.reason).toMatchObject({ code: 'SCRAPE_TIMEOUT' });
  });

  it('says how much of it remains, without the waits', async () => {
    using deadline = startDeadline(page, never);
    vi.advanceTimersByTime(300);
    expect(deadline.remainingMs()).toBe(700);
    const turn = hold();
    const waiting = deadline.duringWait(() => turn.promise);
    vi.advanceTimersByTime(50_000);
    turn.resolve();
    await waiting;
    vi.advanceTimersByTime(100);
    expect(deadline.remainingMs()).toBe(600);
    vi.advanceTimersByTime(900);
    expect(deadline.remainingMs()).toBe(0);
  });

  it('is paused while the page waits for a slot, each time', async () => {
    using deadline = startDeadline(page, never);
    for (const waitMs of [50_000, 7_000]) {
      vi.advanceTimersByTime(400);
      const turn = hold();
      const waiting = deadline.duringWait(() => turn.promise);
      vi.advanceTimersByTime(waitMs);
      turn.resolve();
      await waiting;
    }
    expect(deadline.waitedMs).toBe(57_000);
    vi.advanceTimersByTime(199);
    expect(deadline.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(deadline.signal.reason).toMatchObject({ code: 'SCRAPE_TIMEOUT' });
  });

  it('continues when the wait fails', async () => {
    using deadline = startDeadline(page, never);
    const turn = hold();
    const waiting = deadline.duringWait(() => turn.promise);
    vi.advanceTimersByTime(5_000);
    turn.reject(new Error('no browser'));
    await expect(waiting).rejects.toThrow('no browser');
    vi.advanceTimersByTime(1_000);
    expect(deadline.signal.reason).toMatchObject({ code: 'SCRAPE_TIMEOUT' });
  });

  it('does not start when the wait has no end, and the page gives up', () => {
    using deadline = startDeadline(page, never);
    void deadline.duringWait(() => new Promise(() => undefined));
    vi.advanceTimersByTime(10 * 60_000);
    expect(deadline.signal.reason).toMatchObject({ code: 'CONCURRENCY_QUEUE_TIMEOUT' });
  });

  it('leaves no timer behind when the page has ended', async () => {
    const turn = hold();
    let waiting: Promise<void>;
    {
      using deadline = startDeadline(page, never);
      waiting = deadline.duringWait(() => turn.promise);
    }
    turn.resolve();
    await waiting;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the conversion of a document', () => {
  /** Starts a conversion, and returns what ends it. */
  function startConversion(deadline: ReturnType<typeof startDeadline>, overtimeMs = OVERTIME_MS) {
    const conversion = hold();
    const onOvertime = vi.fn(() => overtimeMs);
    const converted = deadline.duringConversion(() => conversion.promise, onOvertime);
    const end = () => {
      conversion.resolve();
      return converted;
    };
    return { onOvertime, end };
  }

  it('counts towards the timeout if it ends in time', async () => {
    using deadline = startDeadline(page, never);
    const { onOvertime, end } = startConversion(deadline);
    vi.advanceTimersByTime(900);
    await end();
    expect(onOvertime).not.toHaveBeenCalled();
    vi.advanceTimersByTime(100);
    expect(deadline.signal.reason).toMatchObject({ code: 'SCRAPE_TIMEOUT' });
  });

  it('may continue after the timeout, and leaves time for the rest of the work', async () => {
    using deadline = startDeadline(page, never);
    const { onOvertime, end } = startConversion(deadline);
    vi.advanceTimersByTime(1_000);
    expect(onOvertime).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(OVERTIME_MS - 1);
    await end();
    vi.advanceTimersByTime(59_999);
    expect(deadline.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(deadline.signal.reason).toMatchObject({ code: 'SCRAPE_TIMEOUT' });
  });

  it('ends with the timeout if it may not continue', () => {
    using deadline = startDeadline(page, never);
    startConversion(deadline, 0);
    vi.advanceTimersByTime(1_000);
    expect(deadline.signal.reason).toMatchObject({
      code: 'SCRAPE_TIMEOUT',
      message: expect.stringContaining('longer than the timeout of 1000 ms'),
    });
  });

  it('ends as long after the timeout as it may continue', () => {
    using deadline = startDeadline(page, never);
    startConversion(deadline);
    vi.advanceTimersByTime(1_000 + OVERTIME_MS);
    expect(deadline.signal.reason).toMatchObject({
      code: 'SCRAPE_TIMEOUT',
      message: expect.stringContaining('was not converted within 20 minutes'),
    });
  });
});
