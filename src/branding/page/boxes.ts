import type { Boxes } from '../survey.ts';
import type { Left } from './seen.ts';

/** Runs in the page: how much room what `seeElements` has found leaves, and its corners. @param most different ones */
export function surveyBoxes(most: number): Boxes {
  const all = (globalThis as Left).winnowSeen ?? [];
  const PADDED_BY_BROWSERS = /^(ul|ol|menu|dir|dl|td|th|fieldset|legend|input|select|textarea|option)$/;
  const spaces = new Map<number, number>();
  const radii = new Map<string, number>();
  const count = <Key>(counts: Map<Key, number>, key: Key) => {
    if (counts.has(key) || counts.size < most) counts.set(key, (counts.get(key) ?? 0) + 1);
  };
  for (const { element, style, area, role, ground, parent } of all) {
    // Those of controls are counted by themselves.
    if (!area || role === 'button' || PADDED_BY_BROWSERS.test(element.localName)) continue;
    for (const length of [style.paddingTop, style.paddingLeft, style.rowGap, style.columnGap]) {
      const pixels = Math.round(Number.parseFloat(length) * 10) / 10;
      if (pixels >= 2 && pixels <= 128) count(spaces, pixels);
    }
    const isBox = ground !== all[parent]?.ground || Number.parseFloat(style.borderLeftWidth) > 0;
    if (isBox && style.borderTopLeftRadius !== '0px') count(radii, style.borderTopLeftRadius);
  }
  return { spaces: [...spaces], radii: [...radii] };
}
