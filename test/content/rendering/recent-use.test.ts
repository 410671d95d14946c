import { describe, expect, it } from 'vitest';
import { RecentUse } from '../../../src/content/rendering/recent-use.ts';

function startUse() {
  const clock = { nowMs: 0 };
  return { clock, use: new RecentUse(() => clock.nowMs) };
}

describe('an owner', () => {
  it('is heavy after much use at once or in many small tasks, if there are others', () => {
    const { clock, use } = startUse();
    use.add('light', 5);
    use.add('at once', 500);
    for (let task = 0; task < 40; task++) {
      clock.nowMs += 50;
      use.add('steady', 25);
    }
    expect(use.isHeavyBesideOthers('steady')).toBe(true);
    expect(use.isHeavyBesideOthers('light')).toBe(false);
    expect(use.isHeavyBesideOthers('unknown')).toBe(false);
    const other = startUse().use;
    other.add('light', 5);
    other.add('at once', 500);
    expect(other.isHeavyBesideOthers('at once')).toBe(true);
  });

  it('is not heavy by itself, however much it uses', () => {
    const { clock, use } = startUse();
    use.add('alone', 10_000);
    expect(use.isHeavyBesideOthers('alone')).toBe(false);
    use.add('guest', 1);
    expect(use.isHeavyBesideOthers('alone')).toBe(true);
    clock.nowMs += 10_001;
    use.add('alone', 10_000);
    expect(use.isHeavyBesideOthers('alone')).toBe(false);
  });

  it('is not heavy any more once half of its use is forgotten often enough', () => {
    const { clock, use } = startUse();
    use.add('other', 1);
    use.add('was heavy', 1_000);
    clock.nowMs += 2_000;
    expect(use.isHeavyBesideOthers('was heavy')).toBe(true);
    clock.nowMs += 1_000;
    expect(use.isHeavyBesideOthers('was heavy')).toBe(false);
  });
});
