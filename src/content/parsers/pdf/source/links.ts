import { type Box, centerY, overlapX } from '../boxes.ts';
import type { Word } from '../types.ts';
import { wordPart } from '../word-part.ts';

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

/** An area of the page that is a link. */
interface LinkArea {
  box: Box;
  uri: string;
}

/** Schemes of URLs that work outside the document. Scripts and files on the author's disk are excluded. */
const SAFE_SCHEME = /^(https?|mailto|ftp|tel):/i;
/** Widths of narrow and wide characters in most fonts, as multiples of that of the others. */
const NARROW = /[fijlrtIJ.,:;'’"!|()[\]{}/\\\s-]/;
const WIDE = /[mwMW@%&—]/;
const NARROW_WIDTH = 0.55;
const WIDE_WIDTH = 1.5;

/**
 * Sets `href` of the words that link annotations cover. A word of which a link covers only a part is divided,
 * so that brackets and full stops beside the link are outside of it.
 */
export function linkWords(words: readonly Word[], annotations: readonly LinkAnnotation[]): Word[] {
  const areas: LinkArea[] = [];
  for (const { subtype, uri, rect, quadpointRects } of annotations) {
    if (!/^link$/i.test(subtype) || !uri || !SAFE_SCHEME.test(uri)) continue;
    for (const { x, y, width, height } of quadpointRects.length > 0 ? quadpointRects : rect ? [rect] : [])
      areas.push({ box: { left: x, top: y, right: x + width, bottom: y + height }, uri });
  }
  return areas.length === 0 ? [...words] : words.flatMap((word) => linked(word, areas));
}

function linked(word: Word, areas: readonly LinkArea[]): Word[] {
  const middle = centerY(word);
  const area = areas.find(
    ({ box }) => overlapX(box, word) > 0 && middle >= box.top - 0.5 && middle <= box.bottom + 0.5,
  );
  if (!area) return [word];
  const { box, uri } = area;
  if (box.left <= word.left + 0.5 && box.right >= word.right - 0.5) return [{ ...word, href: uri }];
  const characters = placeCharacters(word);
  const covered = characters.map(
    ({ left, right }) => (left + right) / 2 > box.left && (left + right) / 2 < box.right,
  );
  const first = covered.indexOf(true);
  if (first === -1) return [word];
  const end = covered.lastIndexOf(true) + 1;
  const parts = [
    { from: 0, to: first, href: undefined },
    { from: first, to: end, href: uri },
    { from: end, to: characters.length, href: undefined },
  ].filter(({ from, to }) => to > from);
  return parts.map(({ from, to, href }, place) => {
    const own = characters.slice(from, to);
    const lengthOf = (end: number) =>
      characters.slice(0, end).reduce((length, { text }) => length + text.length, 0);
    const part: Word = {
      ...wordPart(word, lengthOf(from), lengthOf(to)),
      left: own[0]?.left ?? word.left,
      right: own.at(-1)?.right ?? word.right,
    };
    if (href) part.href = href;
    if (place > 0) part.isSpaced = false;
    return part;
  });
}

/** The places of the characters of a word, estimated by the usual widths of such characters. */
function placeCharacters({ text, left, right }: Word): { text: string; left: number; right: number }[] {
  const characters = [...text];
  const widths = characters.map((each) =>
    NARROW.test(each) ? NARROW_WIDTH : WIDE.test(each) ? WIDE_WIDTH : 1,
  );
  const scale = (right - left) / widths.reduce((sum, width) => sum + width, 0);
  let at = left;
  return characters.map((each, place) => {
    const start = at;
    at += scale * (widths[place] as number);
    return { text: each, left: start, right: at };
  });
}
