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

/**
 * Writes the XML of an OpenDocument text or presentation with elements that anydoc reads, instead of those
 * that it takes for words of the paragraph around them (comments, pronunciation guides, the numbers of pages
 * of notes, and in texts the paragraphs in drawn shapes) or leaves out (numbered paragraphs).
 */
export function rewriteElements(xml: string, type: 'odt' | 'odp'): string {
  const text = (xml.includes('<office:annotation') ? xml.replace(COMMENT, '') : xml).replace(RUBY_TEXT, '');
  if (type === 'odp') return text.replace(REPEATED, '');
  return text
    .replace(SHAPE, (tag, isEmpty: string | undefined) => {
      if (isEmpty === undefined) return '</draw:text-box></draw:frame>';
      return isEmpty ? tag : '<draw:frame><draw:text-box>';
    })
    .replace(NUMBERED_PARAGRAPH, (_, isEnd: string) =>
      isEnd ? '</text:list-item></text:list>' : '<text:list><text:list-item>',
    );
}
