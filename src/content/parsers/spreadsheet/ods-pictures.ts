import { Parser } from 'htmlparser2';
import { readPart } from '../package-parts.ts';
import type { ZipArchive } from '../zip.ts';
import type { PlacedPicture } from './placed-picture.ts';

/** Reads where the pictures of an OpenDocument workbook are, by the names of the sheets. */
export function readOdsPictures(archive: ZipArchive): Map<string, PlacedPicture[]> {
  const pictures = new Map<string, PlacedPicture[]>();
  let sheet: PlacedPicture[] = [];
  let nextRow = 0;
  let picture: PlacedPicture | undefined;
  let isDescription = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (name === 'table:table') {
          sheet = [];
          nextRow = 0;
          pictures.set(attributes['table:name'] ?? '', sheet);
        } else if (name === 'table:table-row')
          nextRow += Number(attributes['table:number-rows-repeated'] ?? 1) || 1;
        else if (name === 'draw:frame') picture = undefined;
        else if (name === 'draw:image' && !picture) {
          picture = { row: Math.max(0, nextRow - 1), alt: '', part: attributes['xlink:href'] ?? '' };
          sheet.push(picture);
        } else isDescription = name === 'svg:desc' || (name === 'svg:title' && !picture?.alt);
      },
      ontext(text) {
        if (isDescription && picture) picture.alt = text;
      },
      onclosetag() {
        isDescription = false;
      },
    },
    { xmlMode: true },
  );
  parser.end(readPart(archive, 'content.xml'));
  return pictures;
}
