import type { Transition } from '../survey.ts';
import type { Left } from './seen.ts';

/** Runs in the page: how what `seeElements` has found changes its looks. @param most different ones */
export function surveyTransitions(most: number): Transition[] {
  const transitions = new Map<string, Transition>();
  for (const { style, area } of (globalThis as Left).winnowSeen ?? []) {
    const durations = style.transitionDuration.split(', ');
    const index = durations.findIndex((duration) => Number.parseFloat(duration) > 0);
    if (!area || index < 0) continue;
    // Commas stand inside of curves too; a shorter list starts again.
    const easings = style.transitionTimingFunction.split(/, (?![^(]*\))/);
    const duration = durations[index] ?? '';
    const easing = easings[index % easings.length] ?? '';
    const key = `${duration} ${easing}`;
    const known = transitions.get(key);
    if (known) known.count++;
    else if (transitions.size < most) transitions.set(key, { duration, easing, count: 1 });
  }
  return [...transitions.values()];
}
