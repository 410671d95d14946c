/** How long texts are compared with patterns. */
export interface MatchLimits {
  /** The most steps for one text, and those that all texts may take in any case. */
  steps: number;
  /**
   * The milliseconds of processor time within which further texts are compared: usual patterns take only a
   * small part of the steps that the worst ones take.
   */
  processorMs: number;
}

/** A text that is to be compared: the most steps that takes, and the comparison. */
export interface Candidate {
  steps: number;
  compare(): void;
}

/** Compares one text after the other, up to the limits; the caller sorts them by what they cost. */
export function compareWithin(candidates: Iterable<Candidate>, limits: MatchLimits): void {
  const before = process.threadCpuUsage();
  let steps = 0;
  for (const { steps: own, compare } of candidates) {
    steps += own;
    if (own > limits.steps) return;
    if (steps > limits.steps && millisecondsSince(before) >= limits.processorMs) return;
    compare();
  }
}

/** Milliseconds of processor time that the thread has taken since then. */
function millisecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
