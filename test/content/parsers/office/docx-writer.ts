import { writeZip } from '../zip-writer.ts';

const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

const styles = `<w:styles ${WORD}>
  <w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>
  <w:style w:type="paragraph" w:styleId="SourceCode"><w:name w:val="Source Code"/></w:style>
  <w:style w:type="character" w:styleId="Verb"><w:name w:val="Verb"/><w:rPr><w:rFonts w:ascii="Consolas"/></w:rPr></w:style>
</w:styles>`;

/**
 * Writes a docx file.
 * @param body content of `w:body`
 * @param prologue what stands before the document element
 * @param more further parts of the archive by their names
 */
export const docx = (body: string, prologue = '', more: Record<string, string> = {}) =>
  writeZip({
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
      <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
      <Override PartName="/word/document.xml" ContentType="${TYPE}.document.main+xml"/>
      <Override PartName="/word/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${RELATIONSHIPS}"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/_rels/document.xml.rels': `<Relationships xmlns="${RELATIONSHIPS}"><Relationship Id="rId1" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    'word/document.xml': `<?xml version="1.0"?>${prologue}<w:document ${WORD}><w:body>${body}</w:body></w:document>`,
    'word/styles.xml': styles,
    ...more,
  });
/** A run of text, with its `w:rPr`. */
export const run = (text: string, properties = '') =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
/** A paragraph of runs, with the identifier of its style. */
export const paragraph = (content: string, style = '') =>
  `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}${content}</w:p>`;
