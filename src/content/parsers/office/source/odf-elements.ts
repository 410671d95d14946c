/**
 * A comment with its author and date. It ends before the next one begins, so that unclosed comments take
 * linear time.
 */
const COMMENT =
  /<office:annotation(?=[\s>])[^<>]*>(?:(?!<office:annotation[\s>])[\s\S])*?<\/office:annotation>/g;
/** The pronunciation guide above a text. */
const RUBY_TEXT = /<text:ruby-text(?=[\s>])[^<>]*>[^<]*<\/text:ruby-text>/g;
/**
 * The frames that every page of speaker notes repeats: the number of the page, a date, or the text at its
 * foot.
 */
const REPEATED =
  /<draw:frame(?=\s)[^<>]*presentation:class="(?:page-number|date-time|footer|header)"[^<>]*>(?:(?!<draw:frame[\s>])[\s\S])*?<\/draw:frame>/g;
/** The beginnings of drawn shapes that can contain paragraphs, and their ends. */
const SHAPE = /<draw:custom-shape(?=[\s>])[^<>]*?(\/?)>|<\/draw:custom-shape>/g;
const NUMBERED_PARAGRAPH = /<(\/?)text:numbered-paragraph(?=[\s>])[^<>]*>/g;

const SECTION_TAG = /<(\/?)text:section(?=[\s>])[^<>]*>/g;
/** A section that is hidden always, or by a condition that was true when the file was saved. */
const HIDDEN_SECTION = /\stext:(?:display="none"|is-hidden="true")/;

/** Leaves out hidden sections, with those in them. */
function withoutHiddenSections(xml: string): string {
  if (!/<text:section\s/.test(xml)) return xml;
  let kept = '';
  let from = 0;
  /** How many sections are open from the outermost hidden one on; 0 outside of hidden ones. */
  let depth = 0;
  for (const { 0: tag, 1: end, index } of xml.matchAll(SECTION_TAG)) {
    if (tag.endsWith('/>')) continue;
    if (depth === 0 && !end && HIDDEN_SECTION.test(tag)) {
      kept += xml.slice(from, index);
      depth = 1;
    } else if (depth > 0) {
      depth += end ? -1 : 1;
      if (depth === 0) from = index + tag.length;
    }
  }
  // A section without an end is damaged, and its text is kept.
  return depth === 0 ? kept + xml.slice(from) : xml;
}

/**
 * Writes the XML of an OpenDocument text or presentation with elements that anydoc reads, instead of those
 * that it takes for words of the paragraph around them (comments, pronunciation guides, the numbers of pages
 * of notes, and in texts the paragraphs in drawn shapes) or leaves out (numbered paragraphs). Hidden sections are
 * left out.
 */
export function rewriteElements(xml: string, type: 'odt' | 'odp'): string {
  const text = (xml.includes('<office:annotation') ? xml.replace(COMMENT, '') : xml).replace(RUBY_TEXT, '');
  if (type === 'odp') return text.replace(REPEATED, '');
  return withoutHiddenSections(text)
    .replace(SHAPE, (tag, isEmpty: string | undefined) => {
      if (isEmpty === undefined) return '</draw:text-box></draw:frame>';
      return isEmpty ? tag : '<draw:frame><draw:text-box>';
    })
    .replace(NUMBERED_PARAGRAPH, (_, isEnd: string) =>
      isEnd ? '</text:list-item></text:list>' : '<text:list><text:list-item>',
    );
}
