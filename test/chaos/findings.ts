const KEPT = 200;

/** The violations found in a run. */
export interface Findings {
  /** Records a violation. The same text is kept once. */
  wrong(text: string): void;
  count(what: string, by?: number): void;
  readonly violations: string[];
  readonly counts: Record<string, number>;
}

/** @param onWrong called with each violation when it is found */
export function createFindings(onWrong: (text: string) => void): Findings {
  const violations = new Set<string>();
  const counts: Record<string, number> = {};
  return {
    wrong(text) {
      if (violations.has(text) || violations.size >= KEPT) return;
      violations.add(text);
      onWrong(text);
    },
    count(what, by = 1) {
      counts[what] = (counts[what] ?? 0) + by;
    },
    get violations() {
      return [...violations];
    },
    counts,
  };
}
