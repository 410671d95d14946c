import { describe, expect, it } from 'vitest';
import { ClaimPace } from '../../../src/jobs/page-jobs/claim-pace.ts';

describe('the next claim of a page worker', () => {
  it('is due at once when it has begun, and a pause after a claim that found all it wanted', () => {
    const pace = new ClaimPace();
    expect(pace.dueAt).toBeLessThanOrEqual(0);
    pace.begin(1_000);
    pace.foundAll();
    expect(pace.dueAt).toBe(1_050);
  });

  it('waits longer after a claim that found too little, as long as nothing ends', () => {
    const pace = new ClaimPace();
    pace.begin(1_000);
    expect(pace.dueAt).toBe(1_150);
  });

  it('comes a moment after the first of several requests that end together', () => {
    const pace = new ClaimPace();
    pace.begin(1_000);
    for (const time of [1_101, 1_104, 1_109]) pace.freed(time);
    expect(pace.dueAt).toBe(1_111);
  });

  it('comes no sooner after the last one because requests end quickly', () => {
    const pace = new ClaimPace();
    pace.begin(1_000);
    pace.freed(1_003);
    expect(pace.dueAt).toBe(1_050);
  });

  it('counts requests that end during a claim for the claim after it, and those before it no more', () => {
    const pace = new ClaimPace();
    pace.begin(1_000);
    pace.freed(1_080);
    pace.begin(1_090);
    expect(pace.dueAt).toBe(1_240);
    pace.freed(1_095);
    expect(pace.dueAt).toBe(1_140);
  });
});
