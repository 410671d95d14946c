import type { Transition } from '../branding-data.ts';
import type { PageState } from './visible-elements.ts';

/**
 * Runs in the page: collects the transitions of the visible elements.
 * @param limit most different transitions
 */
export function collectTransitions(limit: number): Transition[] {
  const transitions = new Map<string, Transition>();
  for (const { style, area } of (globalThis as PageState).winnowVisibleElements ?? []) {
    const durations = style.transitionDuration.split(', ');
    const index = durations.findIndex((duration) => Number.parseFloat(duration) > 0);
    if (!area || index < 0) continue;
    // Easing functions contain commas too. A shorter list repeats.
    const easings = style.transitionTimingFunction.split(/, (?![^(]*\))/);
    const duration = durations[index] ?? '';
    const easing = easings[index % easings.length] ?? '';
    const key = `${duration} ${easing}`;
    const known = transitions.get(key);
    if (known) known.count++;
    else if (transitions.size < limit) transitions.set(key, { duration, easing, count: 1 });
  }
  return [...transitions.values()];
}
