import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ClaimedPages } from '../../../src/jobs/page-jobs/claimed-pages.ts';
import type { Claim } from '../../../src/storage/db/pages/claims.ts';

const HOST = 'a.test';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** The pages of a page worker that claims ahead. Those under way end in the order in which they began. */
function pagesOfWorker() {
  const underWay: Claim[] = [];
  let ordinal = 0;
  const pages = new ClaimedPages({
    claimsAhead: true,
    signal: new AbortController().signal,
    start: (claim) => underWay.push(claim),
  });
  return {
    pages,
    /** Adds pages of a host that may get eight requests at once. */
    add(count: number) {
      const claims = Array.from({ length: count }, () => ({ ordinal: ordinal++, host: HOST }) as Claim);
      pages.add({ claims, allowed: new Map([[HOST, 8]]), delayMs: null });
    },
    /** Ends the requests of all pages under way, which then wait for a rendering thread. */
    fetchAll() {
      while (pages.openRequests.size > 0) {
        for (const claim of underWay.slice(-(pages.openRequests.get(HOST) ?? 0))) pages.endRequest(claim, 1);
        pages.begin();
      }
    },
    /** Ends pages, one after another. @param everyMs milliseconds that each takes */
    end(count: number, everyMs: number) {
      for (const claim of underWay.splice(0, count)) {
        vi.advanceTimersByTime(everyMs);
        pages.end(claim);
      }
      pages.begin();
    },
  };
}

describe('the pages that a page worker has claimed', () => {
  it('are claimed ahead while pages end in quick succession, even if the others wait for a rendering thread', () => {
    const { pages, add, fetchAll, end } = pagesOfWorker();
    add(16);
    fetchAll();
    expect(pages.roomAhead).toBe(0);
    end(8, 10);
    add(8);
    fetchAll();
    end(8, 10);
    expect({ room: pages.room, roomAhead: pages.roomAhead }).toEqual({ room: 8, roomAhead: 8 });
  });

  it('are not claimed ahead of a rendering thread that takes long', () => {
    const { pages, add, fetchAll, end } = pagesOfWorker();
    add(16);
    fetchAll();
    end(8, 100);
    add(8);
    fetchAll();
    end(8, 100);
    expect({ room: pages.room, roomAhead: pages.roomAhead }).toEqual({ room: 8, roomAhead: 0 });
    expect(pages.canWaitUntil).toBeLessThan(performance.now());
  });

  it('let the next claim wait while enough of them are left, for half a second at most', () => {
    const { pages, add, fetchAll, end } = pagesOfWorker();
    add(16);
    fetchAll();
    end(8, 10);
    add(8);
    fetchAll();
    expect(pages.canWaitUntil).toBe(0);
    end(8, 10);
    expect(pages.canWaitUntil - performance.now()).toBe(350);
    end(4, 10);
    expect(pages.canWaitUntil).toBe(0);
  });

  it('let no claim wait while they wait for their hosts, which would be idle meanwhile', () => {
    const { pages, add, fetchAll, end } = pagesOfWorker();
    add(16);
    fetchAll();
    end(16, 10);
    add(8);
    expect(pages.canWaitUntil).toBe(0);
    fetchAll();
    expect(pages.canWaitUntil).toBeGreaterThan(performance.now());
  });
});
