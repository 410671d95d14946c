const SECTION = /begin(codespacerange|bfchar|bfrange)([\s\S]*?)end\1/g;
const PAIR = /<([\da-f\s]*)>\s*<([\da-f\s]*)>/gi;
const RANGE = /<([\da-f\s]*)>\s*<([\da-f\s]*)>\s*(?:<([\da-f\s]*)>|\[([^\]]*)\])/gi;
/** The most codes of a range that are looked at one by one. */
const MAX_RANGE = 4096;
/** The last character of Unicode. */
const LAST_CHARACTER = 0x10ffff;

/** Says which character takes the place of another one. */
type Replace = (character: string) => string;

/**
 * The sections of a character map of a font (`ToUnicode`, ISO 32000-1, 9.10.3) with other characters, without
 * the PostScript around them, which PDFium ignores.
 */
export function rewriteMap(text: string, replace: Replace): string {
  const sections: string[] = [];
  const write = (kind: string, lines: readonly string[]) => {
    if (lines.length > 0) sections.push(`${lines.length} begin${kind}\n${lines.join('\n')}\nend${kind}\n`);
  };
  for (const [, kind = '', body = ''] of text.matchAll(SECTION))
    if (kind === 'codespacerange') write(kind, [body.trim()]);
    else if (kind === 'bfrange')
      write(
        kind,
        Array.from(body.matchAll(RANGE)).flatMap((range) => rewriteRange(range, replace)),
      );
    else
      write(
        kind,
        Array.from(
          body.matchAll(PAIR),
          ([, code, target = '']) => `<${code}><${rewritten(target, replace)}>`,
        ),
      );
  return sections.join('');
}

/**
 * One range of codes, with the first text of them all or a list of one for each. It is divided where other
 * characters do not follow each other as these did.
 */
function rewriteRange(
  [whole, first = '', last = '', target, list = '']: RegExpExecArray,
  replace: Replace,
): string[] {
  if (target === undefined) {
    const texts = list.replace(/<([\da-f\s]*)>/gi, (_, one: string) => `<${rewritten(one, replace)}>`);
    return [`<${first}><${last}>[${texts}]`];
  }
  const start = Number.parseInt(first, 16);
  const count = Number.parseInt(last, 16) - start + 1;
  const characters = Array.from(toText(target));
  const code = characters.pop()?.codePointAt(0);
  if (!(count > 0 && count <= MAX_RANGE) || code === undefined) return [whole];
  const before = characters.map(replace).join('');
  const parts: { from: number; to: number; text: string; next: number }[] = [];
  for (let place = 0; place < count; place++) {
    const text = replace(String.fromCodePoint(Math.min(code + place, LAST_CHARACTER)));
    const own = text.codePointAt(0) ?? 0;
    const part = parts.at(-1);
    if (part?.next === own) Object.assign(part, { to: start + place, next: own + 1 });
    else parts.push({ from: start + place, to: start + place, text, next: own + 1 });
  }
  const toCode = (value: number) => value.toString(16).padStart(first.replace(/\s/g, '').length, '0');
  return parts.map(({ from, to, text }) => `<${toCode(from)}><${toCode(to)}><${toHex(before + text)}>`);
}

const rewritten = (hex: string, replace: Replace) => toHex(Array.from(toText(hex), replace).join(''));

/** The text that the hexadecimal digits of its UTF-16 code units stand for. */
const toText = (hex: string) =>
  String.fromCharCode(
    ...Array.from(hex.replace(/\s+/g, '').matchAll(/.{4}/g), ([unit]) => Number.parseInt(unit, 16)),
  );

const toHex = (text: string) =>
  Array.from({ length: text.length }, (_, place) =>
    text.charCodeAt(place).toString(16).padStart(4, '0'),
  ).join('');
