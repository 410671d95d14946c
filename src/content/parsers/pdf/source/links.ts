import { type Box, containsCenter } from '../boxes.ts';
import type { Word } from '../types.ts';

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

/** Schemes of URLs that work outside the document. Scripts and files on the author's disk are excluded. */
const SAFE_SCHEME = /^(https?|mailto|ftp|tel):/i;

/** Sets `href` of the words that a link annotation covers. */
export function linkWords(words: readonly Word[], annotations: readonly LinkAnnotation[]): void {
  const areas: { box: Box; uri: string }[] = [];
  for (const { subtype, uri, rect, quadpointRects } of annotations) {
    if (!/^link$/i.test(subtype) || !uri || !SAFE_SCHEME.test(uri)) continue;
    for (const { x, y, width, height } of quadpointRects.length > 0 ? quadpointRects : rect ? [rect] : [])
      areas.push({ box: { left: x, top: y, right: x + width, bottom: y + height }, uri });
  }
  if (areas.length === 0) return;
  for (const word of words) {
    const area = areas.find(({ box }) => containsCenter(box, word, 0.5));
    if (area) word.href = area.uri;
  }
}
