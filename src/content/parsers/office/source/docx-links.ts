import { escapeHtml } from '../../../html/parse/escape-html.ts';

const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
/** A link to a place on a page, which Word stores as the page and the place. */
const PLACE = /<w:hyperlink(?=\s)([^<>]*)>/g;
const CLICK = /<a:hlinkClick(?=\s)[^<>]*\sr:id="([^"<>]*)"/g;
/** How far a picture is from the beginning and the end of its run. */
const MAX_RUN = 20_000;

/** A part of a document, and its relationships. */
export interface LinkedPart {
  xml: string;
  relationships: string;
}

/**
 * Rewrites the links of a part that anydoc loses: fragments, which Word stores apart from the URL
 * (`w:anchor`), and links of pictures.
 * @param part.relationships the XML of its relationships
 */
export function rewriteLinks({ xml, relationships }: LinkedPart): LinkedPart {
  const added: string[] = [];
  const linked = xml.includes('<a:hlinkClick') ? linkPictures(xml) : xml;
  const written = linked.replace(PLACE, (link, attributes: string) => {
    const id = /\sr:id="([^"]*)"/.exec(attributes)?.[1];
    const anchor = /\sw:anchor="([^"]*)"/.exec(attributes)?.[1];
    const url = id && anchor ? externalTarget(relationships, id) : undefined;
    if (url === undefined || url.includes('#')) return link;
    const newId = `${id}-${added.length}`;
    added.push(
      `<Relationship Id="${newId}" Type="${RELATIONSHIPS}/hyperlink" Target="${url}#${anchor}" TargetMode="External"/>`,
    );
    return link.replace(/\sr:id="[^"]*"/, ` r:id="${escapeHtml(newId)}"`).replace(/\sw:anchor="[^"]*"/, '');
  });
  if (added.length === 0) return { xml: written, relationships };
  return {
    xml: written,
    relationships: relationships.replace('</Relationships>', `${added.join('')}</Relationships>`),
  };
}

/** The URL of a relationship, as it is in the XML. */
function externalTarget(relationships: string, id: string): string | undefined {
  const at = relationships.indexOf(` Id="${id}"`);
  if (at === -1) return undefined;
  const element = relationships.slice(relationships.lastIndexOf('<', at), relationships.indexOf('>', at));
  return /\sTargetMode="External"/.test(element) ? /\sTarget="([^"]*)"/.exec(element)?.[1] : undefined;
}

/** Writes links around the runs of pictures that have one. */
function linkPictures(xml: string): string {
  let written = '';
  let copiedTo = 0;
  for (const { index, 1: id } of xml.matchAll(CLICK)) {
    const start = Math.max(xml.lastIndexOf('<w:r>', index), xml.lastIndexOf('<w:r ', index));
    const end = xml.indexOf('</w:r>', index) + '</w:r>'.length;
    if (start < copiedTo || end <= start || end - start > MAX_RUN) continue;
    const run = xml.slice(start, end);
    const isLinked = xml.lastIndexOf('<w:hyperlink', start) > xml.lastIndexOf('</w:hyperlink>', start);
    // Runs in text boxes have runs inside.
    if (isLinked || run.includes('<w:txbxContent') || !run.includes('<w:drawing')) continue;
    written += `${xml.slice(copiedTo, start)}<w:hyperlink xmlns:r="${RELATIONSHIPS}" r:id="${id}">${run}</w:hyperlink>`;
    copiedTo = end;
  }
  return written + xml.slice(copiedTo);
}
