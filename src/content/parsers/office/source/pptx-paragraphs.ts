import { Parser } from 'htmlparser2';
import { localName, readExternalTargets, readPart, readRelationships } from '../../package-parts.ts';
import type { ZipArchive } from '../../zip.ts';
import { isMonospaced } from '../fonts.ts';
import type { CharacterMarks, SourceParagraph } from './source-paragraphs.ts';

const PRESENTATION = 'ppt/presentation.xml';

/**
 * Reads the paragraphs of a PowerPoint presentation (ECMA-376) with inline code, superscripts, subscripts,
 * links of whole shapes and hidden slides.
 */
export function readPptxParagraphs(archive: ZipArchive): SourceParagraph[] {
  const parts = readRelationships(archive, PRESENTATION);
  return readSlideIds(readPart(archive, PRESENTATION)).flatMap((id, number) => {
    const part = parts.get(id)?.target;
    return part ? readSlide(readPart(archive, part), number, readExternalTargets(archive, part)) : [];
  });
}

/** The identifiers of the slides, in the order of the presentation. */
function readSlideIds(xml: string): string[] {
  const ids: string[] = [];
  const parser = new Parser(
    {
      onopentag(name, { 'r:id': id }) {
        if (localName(name) === 'sldId' && id) ids.push(id);
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return ids;
}

/** @param links the URLs of links by their identifiers */
function readSlide(xml: string, number: number, links: ReadonlyMap<string, string>): SourceParagraph[] {
  const finished: SourceParagraph[] = [];
  let paragraph: SourceParagraph = { runs: [] };
  let marks: CharacterMarks = {};
  let isHidden = false;
  let isText = false;
  let isRun = false;
  /** Where a click on the shape leads. */
  let href: string | undefined;
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        const name = localName(tag);
        if (name === 'sld') isHidden = attributes.show === '0' || attributes.show === 'false';
        else if (name === 'p') paragraph = { runs: [], ...(isHidden && { hiddenSlide: number }) };
        else if (name === 'sp') href = undefined;
        else if (name === 'hlinkClick' && !isRun) href = links.get(attributes['r:id'] ?? '');
        // anydoc reads the links of texts.
        else if (name === 'hlinkClick') delete marks.href;
        else if (name === 'r' || name === 'fld') {
          isRun = true;
          marks = href ? { href } : {};
        } else if (name === 'rPr' && isRun) marks = { ...marks, ...marksOf(attributes.baseline) };
        else if (name === 'latin' && isMonospaced(attributes.typeface ?? '')) marks.code = true;
        else if (name === 't') isText = true;
      },
      ontext(text) {
        if (isText) paragraph.runs.push({ text, ...marks });
      },
      onclosetag(tag) {
        const name = localName(tag);
        if (name === 't') isText = false;
        else if (name === 'r' || name === 'fld') isRun = false;
        else if (name === 'sp') href = undefined;
        else if (name === 'p') finished.push(paragraph);
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return finished;
}

/** @param baseline how far the text is raised, in thousandths of a percent of the size of the font */
function marksOf(baseline = '0'): CharacterMarks {
  const height = Number.parseInt(baseline, 10);
  if (height > 0) return { position: 'super' };
  return height < 0 ? { position: 'sub' } : {};
}
