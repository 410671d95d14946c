import type { Inline } from '../model.ts';
import { type CharacterMarks, isVisible, type Run, visibleText } from './source-paragraphs.ts';

/** Splits inline content at the boundaries of runs. Positions are counted in visible characters. */
export class MarkedContent {
  readonly #runs: { marks: CharacterMarks; end: number }[] = [];
  #place = 0;
  #run = 0;

  constructor(runs: readonly Run[]) {
    let end = 0;
    for (const { text, ...marks } of runs) {
      end += visibleText(text).length;
      this.#runs.push({ marks, end });
    }
  }

  /**
   * Splits the text of a paragraph at the ends of the runs and gives each part the marks of its run. It must
   * be called once, in the order of the text.
   */
  apply(content: readonly Inline[]): Inline[] {
    const parts = content.flatMap((inline) => {
      if (inline.content) return [{ ...inline, content: this.apply(inline.content) }];
      return inline.kind === 'text' ? this.#split(inline) : [inline];
    });
    return joinLinks(parts);
  }

  #split(inline: Inline): Inline[] {
    const parts: Inline[] = [];
    let text = '';
    let marks: CharacterMarks | undefined;
    const flush = () => {
      if (text === '') return;
      const { bold = false, italic = false, strike = false, code = false } = inline.style ?? {};
      const { position } = marks ?? {};
      const style = { bold, italic, strike, ...(position && { position }), code: marks?.code || code };
      parts.push(linked({ ...inline, text, style }, marks?.href));
      text = '';
    };
    for (const character of (inline.text ?? '').split('')) {
      if (isVisible(character)) {
        while (this.#place >= (this.#runs[this.#run]?.end ?? Number.POSITIVE_INFINITY)) this.#run++;
        const next = this.#runs[this.#run]?.marks ?? {};
        this.#place++;
        if (next.hidden) continue;
        if (
          marks &&
          (next.code !== marks.code || next.position !== marks.position || next.href !== marks.href)
        )
          flush();
        marks = next;
      }
      text += character;
    }
    flush();
    return parts;
  }
}

function linked(inline: Inline, href: string | undefined): Inline {
  if (href === undefined) return inline;
  return { kind: 'link', target: { kind: 'external', value: href }, content: [inline] };
}

/** Makes one link of neighbouring links with the same target, whose texts have different styles. */
function joinLinks(content: readonly Inline[]): Inline[] {
  const joined: Inline[] = [];
  for (const inline of content) {
    const last = joined.at(-1);
    if (last?.kind === 'link' && inline.kind === 'link' && last.target?.value === inline.target?.value)
      joined[joined.length - 1] = { ...last, content: [...(last.content ?? []), ...(inline.content ?? [])] };
    else joined.push(inline);
  }
  return joined;
}
