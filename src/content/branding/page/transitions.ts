import { pageFunction } from '../../open-page/page-function.ts';
import { type Transition, Transitions } from '../branding-data.ts';
import type { VisibleElement } from './visible-elements.ts';

/**
 * Runs in the page: collects the transitions of the visible elements.
 * @param limit most different transitions
 */
export const collectTransitions = pageFunction(Transitions, (limit: number, dom): Transition[] => {
  /** A list of points can make an easing function as long as the page likes. */
  const MAX_LENGTH = 1_000;
  const transitions = new Map<string, Transition>();
  for (const { style, area } of dom.keep<VisibleElement[]>('visibleElements', () => [])) {
    const { transitionDuration, transitionTimingFunction } = style;
    if (!area || transitionDuration.length + transitionTimingFunction.length > MAX_LENGTH) continue;
    const durations = transitionDuration.split(', ');
    const index = durations.findIndex((duration) => Number.parseFloat(duration) > 0);
    if (index < 0) continue;
    // Easing functions contain commas too. A shorter list repeats.
    const easings = transitionTimingFunction.split(/, (?![^(]*\))/);
    const duration = durations[index] ?? '';
    const easing = easings[index % easings.length] ?? '';
    const key = `${duration} ${easing}`;
    const known = transitions.get(key);
    if (known) known.count++;
    else if (transitions.size < limit) transitions.set(key, { duration, easing, count: 1 });
  }
  return [...transitions.values()];
});
