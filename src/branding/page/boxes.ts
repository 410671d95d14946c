import type { Boxes, Room, RoomOf } from '../survey.ts';
import type { Left, Seen } from './seen.ts';

/** Runs in the page: how much room what `seeElements` has found leaves, and its corners. @param most different ones */
export function surveyBoxes(most: number): Boxes {
  const all = (globalThis as Left).winnowSeen ?? [];
  const PADDED_BY_BROWSERS = /^(ul|ol|menu|dir|dl|td|th|fieldset|legend|input|select|textarea|option)$/;
  const SECTIONS = /^(section|header|footer|main|article|aside)$/;
  /** Less room is for what a line has to stand off; more is for pictures behind the page. */
  const [LEAST, MOST] = [2, 256];
  const spaces = new Map<number, number>();
  const radii = new Map<string, number>();
  const paddings = new Map<string, Room>();
  const margins = new Map<string, Room>();
  const count = <Key>(counts: Map<Key, number>, key: Key) => {
    if (counts.has(key) || counts.size < most) counts.set(key, (counts.get(key) ?? 0) + 1);
  };
  const pixelsOf = (length: string) => Math.round(Number.parseFloat(length) * 10) / 10;
  const countRoom = (rooms: Map<string, Room>, of: RoomOf, side: Room['side'], css: string) => {
    const length = pixelsOf(css);
    if (!(length >= LEAST && length <= MOST)) return;
    const key = `${of} ${side} ${length}`;
    const known = rooms.get(key);
    if (known) known.count++;
    else if (rooms.size < most) rooms.set(key, { of, side, length, count: 1 });
  };

  const isBox = ({ ground, parent, style }: Seen) =>
    ground !== all[parent]?.ground || Number.parseFloat(style.borderLeftWidth) > 0;
  const paddedKind = (one: Seen): RoomOf | undefined => {
    const { element, role, parent } = one;
    if (/^(input|select|textarea)$/.test(element.localName)) return 'input';
    if (role === 'button') return all[parent]?.role === 'button' ? undefined : 'button';
    if (SECTIONS.test(element.localName)) return 'section';
    return isBox(one) && element.childElementCount > 0 ? 'card' : undefined;
  };
  const spacedKind = ({ element: { localName } }: Seen): RoomOf | undefined => {
    if (/^h[1-6]$/.test(localName)) return 'heading';
    if (localName === 'p') return 'paragraph';
    if (/^[uo]l$/.test(localName)) return 'list';
    return SECTIONS.test(localName) ? 'section' : undefined;
  };

  for (const one of all) {
    const { element, style, area, role } = one;
    if (!area) continue;
    const padded = paddedKind(one);
    if (padded) {
      countRoom(paddings, padded, 'vertical', style.paddingTop);
      countRoom(paddings, padded, 'horizontal', style.paddingLeft);
    }
    const spaced = spacedKind(one);
    // Margins meet: what stands below counts where nothing is left above it.
    if (spaced) {
      const bottom = style.marginBottom;
      countRoom(margins, spaced, 'vertical', pixelsOf(bottom) ? bottom : style.marginTop);
    }
    // Those of controls are counted by themselves.
    if (role === 'button' || PADDED_BY_BROWSERS.test(element.localName)) continue;
    for (const length of [style.paddingTop, style.paddingLeft, style.rowGap, style.columnGap]) {
      const pixels = pixelsOf(length);
      if (pixels >= 2 && pixels <= 128) count(spaces, pixels);
    }
    if (isBox(one) && style.borderTopLeftRadius !== '0px') count(radii, style.borderTopLeftRadius);
  }
  return {
    spaces: [...spaces],
    radii: [...radii],
    paddings: [...paddings.values()],
    margins: [...margins.values()],
  };
}
