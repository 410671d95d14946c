import { ZipArchive } from '../../zip.ts';
import { type MarkedObjects, markOf } from './odt-objects.ts';
import { ommlToMathml } from './omml.ts';
import { replaceParts, tryReadPart } from './replace-parts.ts';

const PARTS = ['word/document.xml', 'word/footnotes.xml', 'word/endnotes.xml'];
/** Limits in bytes: of the XML of one part, and of all formulas. */
const MAX_PART_BYTES = 64 * 1024 * 1024;
const MAX_FORMULAS_BYTES = 8 * 1024 * 1024;
const FORMULA = /<m:oMath(?=[\s>])[^>]*>[\s\S]*?<\/m:oMath>/g;
/** Formulas in a paragraph of their own. */
const PARAGRAPHS = /<\/?m:oMathPara(?=[\s>])[^>]*>|<m:oMathParaPr\b[\s\S]*?<\/m:oMathParaPr>/g;

/**
 * Puts marks into the text of a Word document for its formulas, because anydoc leaves them out.
 * @returns undefined if the document has none, or is damaged or too large
 */
export function markFormulas(archive: ZipArchive): MarkedObjects | undefined {
  const objects: string[] = [];
  const changed = new Map<string, string>();
  let left = MAX_FORMULAS_BYTES;
  for (const name of PARTS) {
    const xml = tryReadPart(archive, name, MAX_PART_BYTES)?.toString('utf8') ?? '';
    if (!xml.includes('<m:oMath')) continue;
    const marked = xml.replace(PARAGRAPHS, '').replace(FORMULA, (formula) => {
      left -= formula.length;
      const mathml = left > 0 ? ommlToMathml(formula) : '';
      return mathml && `<w:r><w:t>${markOf(objects.push(mathml) - 1)}</w:t></w:r>`;
    });
    changed.set(name, marked);
  }
  if (objects.length === 0) return undefined;
  const bytes = replaceParts(archive, changed);
  return bytes && { bytes, archive: new ZipArchive(bytes), objects };
}
