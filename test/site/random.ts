/** Random numbers that are the same in every run and on every machine. */
export interface Random {
  /** A whole number from 0 to `below` - 1. */
  whole(below: number): number;
  pick<T>(list: readonly T[]): T;
}

/** A seeded generator (mulberry32). The same seed gives the same sequence. */
export function seeded(seed: number): Random {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  const whole = (below: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
  return {
    whole,
    pick(list) {
      // The index is always valid.
      return list[whole(list.length)] as (typeof list)[number];
    },
  };
}
