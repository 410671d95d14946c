import { type Box, holds } from './boxes.ts';
import type { Word } from './types.ts';

interface NativeBox {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface LinkAnnotation {
  subtype: string;
  uri?: string;
  rect?: NativeBox;
  quadpointRects: NativeBox[];
}

/** Only these targets mean something outside the document; scripts and files of the author's disk do not. */
const SAFE = /^(https?|mailto|ftp|tel):/i;

/** Gives each word below a link annotation the target of the link. */
export function linkWords(words: readonly Word[], annotations: readonly LinkAnnotation[]): void {
  const areas: { box: Box; uri: string }[] = [];
  for (const { subtype, uri, rect, quadpointRects } of annotations) {
    if (!/^link$/i.test(subtype) || !uri || !SAFE.test(uri)) continue;
    for (const { x, y, width, height } of quadpointRects.length > 0 ? quadpointRects : rect ? [rect] : [])
      areas.push({ box: { left: x, top: y, right: x + width, bottom: y + height }, uri });
  }
  if (areas.length === 0) return;
  for (const word of words) {
    const area = areas.find(({ box }) => holds(box, word, 0.5));
    if (area) word.href = area.uri;
  }
}
