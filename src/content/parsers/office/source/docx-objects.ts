import { relationshipsOf } from '../../package-parts.ts';
import { ZipArchive } from '../../zip.ts';
import { symbolOf } from '../symbols.ts';
import { ALT_CHUNK } from './alt-chunks.ts';
import { rewriteLinks } from './docx-links.ts';
import { rewriteStructure } from './docx-structure.ts';
import { replaceEqFields } from './eq-fields.ts';
import { type MarkedObjects, markOf } from './odt-objects.ts';
import { ommlToMathml } from './omml.ts';
import { replaceParts, tryReadPart } from './replace-parts.ts';

const PARTS = ['word/document.xml', 'word/footnotes.xml', 'word/endnotes.xml'];
/** Limits in bytes: of the XML of one part, and of all formulas. */
const MAX_PART_BYTES = 64 * 1024 * 1024;
const MAX_FORMULAS_BYTES = 8 * 1024 * 1024;
// No expression goes beyond the next beginning of what it looks for: else unclosed elements would take
// quadratic time.
const FORMULA = /<m:oMath(?=[\s>])[^<>]*>(?:(?!<m:oMath[\s>])[\s\S])*?<\/m:oMath>/g;
/** Formulas in a paragraph of their own. */
const PARAGRAPHS =
  /<\/?m:oMathPara(?=[\s>])[^<>]*>|<m:oMathParaPr\b(?:(?!<m:oMathParaPr\b)[\s\S])*?<\/m:oMathParaPr>/g;

/** Text with a pronunciation guide above it, and the text in it. */
const RUBY =
  /<w:ruby>(?:(?!<w:ruby>)[\s\S])*?<w:rubyBase>((?:(?!<w:ruby>|<w:rubyBase>)[\s\S])*?)<\/w:rubyBase>\s*<\/w:ruby>/g;
const TEXT = /<w:t(?=[\s>])[^<>]*>([^<]*)<\/w:t>/g;
/** A character by its code in a font of symbols, or a hyphen at which no line ends. */
const CHARACTER = /<w:sym\b([^<>]*)\/>|<w:noBreakHyphen\s*\/>/g;

/**
 * Writes into the text of a Word document what anydoc leaves out: marks for its formulas and for files in
 * other formats, text below a pronunciation guide, symbols, and hyphens at which no line ends; and rewrites
 * what it reads wrongly.
 * @param chunks the HTML of the files in other formats by the identifiers of their relationships
 * @returns undefined if the document has nothing of that, or is damaged or too large
 */
export function markDocxObjects(
  archive: ZipArchive,
  chunks: ReadonlyMap<string, string>,
): MarkedObjects | undefined {
  const objects: string[] = [];
  const changed = new Map<string, string>();
  let left = MAX_FORMULAS_BYTES;
  const runOf = (html: string) => `<w:r><w:t>${markOf(objects.push(html) - 1)}</w:t></w:r>`;
  for (const name of PARTS) {
    const source = tryReadPart(archive, name, MAX_PART_BYTES)?.toString('utf8') ?? '';
    const links = relationshipsOf(name);
    const linked = rewriteLinks({
      xml: source,
      relationships: tryReadPart(archive, links, MAX_PART_BYTES)?.toString('utf8') ?? '',
    });
    const withChunks = linked.xml.replace(ALT_CHUNK, (element, attributes: string) => {
      const html = chunks.get(/\sr:id="([^"]*)"/.exec(attributes)?.[1] ?? '');
      return html === undefined ? element : `<w:p>${runOf(html)}</w:p>`;
    });
    const written = replaceEqFields(writeCharacters(rewriteStructure(withChunks)), runOf)
      .replace(PARAGRAPHS, '')
      .replace(FORMULA, (formula) => {
        left -= formula.length;
        const mathml = left > 0 ? ommlToMathml(formula) : '';
        return mathml && runOf(mathml);
      });
    if (written !== source) changed.set(name, written);
    if (linked.xml !== source && archive.names.includes(links)) changed.set(links, linked.relationships);
  }
  const bytes = changed.size > 0 ? replaceParts(archive, changed) : undefined;
  return bytes && { bytes, archive: new ZipArchive(bytes), objects };
}

/** Writes text in the places of elements that stand for it. */
function writeCharacters(xml: string): string {
  const withoutRuby = xml.includes('<w:ruby>')
    ? xml.replace(RUBY, (_, base: string) => {
        const text = [...base.matchAll(TEXT)].map(([, each]) => each).join('');
        return `<w:t xml:space="preserve">${text}</w:t>`;
      })
    : xml;
  return withoutRuby.replace(CHARACTER, (element, attributes: string | undefined) => {
    const character = attributes === undefined ? '-' : symbolIn(attributes);
    return character ? `<w:t>${character}</w:t>` : element;
  });
}

function symbolIn(attributes: string): string | undefined {
  const font = /w:font="([^"]*)"/.exec(attributes)?.[1] ?? '';
  const code = Number.parseInt(/w:char="([0-9a-f]{1,4})"/i.exec(attributes)?.[1] ?? '', 16) & 0xff;
  return symbolOf(font, code);
}
