/**
 * The properties of a content control. They end before the next ones begin, so that unclosed ones take linear
 * time.
 */
const CONTROL_PROPERTIES =
  /<w:(sdtPr|sdtEndPr|customXmlPr)(?:\s[^<>]*)?>(?:(?!<w:(?:sdtPr|sdtEndPr|customXmlPr)[\s>])[\s\S])*?<\/w:\1>/g;
const CONTROLS = /<\/?w:(?:sdt|sdtContent|sdtPr|sdtEndPr|customXml)(?:\s[^<>]*)?\/?>/g;
/** A row that a tracked change has deleted, without rows inside. */
const DELETED_ROW =
  /<w:tr(?=[\s>])[^<>]*>\s*<w:trPr>(?:(?!<\/?w:trPr>)[\s\S])*?<w:del[\s/>](?:(?!<\/?w:tr[\s>])[\s\S])*<\/w:tr>/g;
const PARAGRAPH_END = '</w:p>';
const DROP_CAP = /<w:framePr(?=\s)[^<>]*\sw:dropCap="(?:drop|margin)"/;
/** The mark of a paragraph whose end a tracked change has deleted, in the properties of that mark. */
const DELETED_END = /<w:rPr>(?:(?!<\/?w:rPr[\s>])[\s\S])*?<w:del[\s/>]/;

/**
 * Rewrites the structure of a part of a Word document that anydoc does not know: rows and blocks in content
 * controls, which it drops, large first letters in paragraphs of their own, and paragraphs whose end is
 * deleted in a tracked change. Rows that are deleted so are left out.
 */
export function rewriteStructure(xml: string): string {
  const open = /<w:(?:sdt|customXml)[\s>]/.test(xml)
    ? xml.replace(CONTROL_PROPERTIES, '').replace(CONTROLS, '')
    : xml;
  const isJoined = open.includes('w:dropCap="') || open.includes('<w:del ') || open.includes('<w:del/>');
  return isJoined ? joinParagraphs(open.replace(DELETED_ROW, '')) : open;
}

/** Joins paragraphs that belong to the ones behind them with these, whose properties the result has. */
function joinParagraphs(xml: string): string {
  const paragraphs = xml.split(PARAGRAPH_END);
  const rest = paragraphs.pop() ?? '';
  let written = '';
  /** The paragraph to join with the next one, and its content. */
  let waiting: { paragraph: string; content: string } | undefined;
  for (let text of paragraphs) {
    const first = waiting && openingOf(text);
    if (waiting && first)
      text = `${text.slice(0, first.length)}${waiting.content}${text.slice(first.length)}`;
    else if (waiting) written += waiting.paragraph + PARAGRAPH_END;
    waiting = undefined;
    // Of paragraphs in the text boxes of another one, the innermost ends first.
    const start = Math.max(text.lastIndexOf('<w:p>'), text.lastIndexOf('<w:p '));
    const opening = start === -1 ? undefined : openingOf(text.slice(start));
    if (opening && (DROP_CAP.test(opening.properties) || DELETED_END.test(opening.properties))) {
      written += text.slice(0, start);
      waiting = { paragraph: text.slice(start), content: text.slice(start + opening.length) };
    } else written += text + PARAGRAPH_END;
  }
  return written + (waiting ? waiting.paragraph + PARAGRAPH_END : '') + rest;
}

/** The beginning of a paragraph up to its content; undefined if the text does not begin with one. */
function openingOf(text: string): { length: number; properties: string } | undefined {
  const tag = /^\s*<w:p(?:\s[^<>]*[^<>/])?>\s*/.exec(text)?.[0];
  if (tag === undefined) return undefined;
  const rest = text.slice(tag.length);
  if (!/^<w:pPr(?:\s[^<>]*[^<>/])?>/.test(rest)) return { length: tag.length, properties: '' };
  // Tracked changes keep the former properties within the properties.
  const change = rest.indexOf('<w:pPrChange');
  const inner = rest.indexOf('</w:pPr>');
  const from = change !== -1 && change < inner ? rest.indexOf('</w:pPrChange>') : 0;
  const end = rest.indexOf('</w:pPr>', from) + '</w:pPr>'.length;
  const properties = rest.slice(0, change !== -1 && change < inner ? change : end);
  return { length: tag.length + end, properties };
}
