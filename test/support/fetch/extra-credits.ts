import type { ExtraCredits } from '../../../src/fetch/engines/extra-credits.ts';

/** The credits of a team from which only one page reserves some. */
export function withCredits(credits = Number.POSITIVE_INFINITY): ExtraCredits {
  let left = credits;
  return {
    available: async () => left,
    async reserve(wanted) {
      if (wanted > left) return false;
      left -= wanted;
      return true;
    },
  };
}
