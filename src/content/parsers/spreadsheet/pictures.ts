import { extname } from 'node:path';
import { escapeHtml } from '../../html/parse/escape-html.ts';
import { oneLine } from '../../html/text.ts';
import { type DocumentImage, imageUrl } from '../document.ts';
import { toImageType } from '../image-type.ts';
import { ZipArchive } from '../zip.ts';
import { readOdsPictures } from './ods-pictures.ts';
import type { PictureSource, PlacedPicture } from './placed-picture.ts';
import { readXlsxPictures } from './xlsx-pictures.ts';

const MAX_PICTURES = 1000;
/** Limit of the size of all pictures together, in bytes; the conversion may return twice as much. */
const MAX_BYTES = 64 * 1024 * 1024;

const LEFT_OUT = 'Some pictures of the workbook were left out, because they are too many or too large.';

/**
 * The pictures of a workbook that is a zip archive.
 * @param bytes the archive, uncompressed
 */
export function archivePictures(bytes: Uint8Array): PictureSource {
  const archive = new ZipArchive(bytes);
  return {
    readSheets: () =>
      archive.names.includes('content.xml') ? readOdsPictures(archive) : readXlsxPictures(archive),
    // The archive is not compressed, so that its size is the limit.
    read: (part) => archive.read(part, Number.MAX_SAFE_INTEGER),
  };
}

/** Writes the pictures of a workbook, and collects them if they are wanted. */
export class PictureWriter {
  readonly images: DocumentImage[] = [];
  readonly warnings: string[] = [];
  readonly #source: PictureSource | undefined;
  readonly #sheets: ReadonlyMap<string, PlacedPicture[]>;
  readonly #wantsImages: boolean;
  /** The numbers of the collected images by their parts; undefined for parts that are no images. */
  readonly #ids = new Map<string, string | undefined>();
  #bytesLeft = MAX_BYTES;

  /**
   * @param source the pictures; absent for workbooks that have none
   * @param options.images whether to collect the pictures; otherwise their alternative texts take their
   * places
   */
  constructor(source: PictureSource | undefined, options: { images: boolean }) {
    this.#wantsImages = options.images;
    this.#source = source;
    this.#sheets = this.#read();
  }

  /** The HTML of the pictures of a sheet, in the order of their rows. */
  ofSheet(name: string): { row: number; html: string }[] {
    return (this.#sheets.get(name) ?? [])
      .slice(0, MAX_PICTURES)
      .map((picture) => ({ row: picture.row, html: this.#html(picture) }))
      .filter(({ html }) => html !== '')
      .sort((one, other) => one.row - other.row);
  }

  #read(): ReadonlyMap<string, PlacedPicture[]> {
    try {
      return this.#source?.readSheets() ?? new Map();
    } catch {
      // The cells, which matter most, are read by another reader.
      this.warnings.push('The workbook is damaged; its pictures are missing.');
      return new Map();
    }
  }

  #html({ alt: description, part }: PlacedPicture): string {
    const alt = oneLine(description);
    const id = this.#wantsImages ? this.#collect(part) : undefined;
    if (id !== undefined) return `<p><img src="${imageUrl(id)}" alt="${escapeHtml(alt)}"></p>`;
    return alt && `<p>${escapeHtml(alt)}</p>`;
  }

  /** @returns the number of the image; undefined if the part is no image or the limits are exceeded */
  #collect(part: string): string | undefined {
    if (this.#ids.has(part)) return this.#ids.get(part);
    const mediaType = toImageType(`image/${extname(part).slice(1).toLowerCase()}`);
    const bytes = mediaType && this.#source?.read(part);
    const isKept = bytes && this.images.length < MAX_PICTURES && bytes.length <= this.#bytesLeft;
    const id = isKept ? String(this.images.length) : undefined;
    this.#ids.set(part, id);
    if (bytes && !isKept && !this.warnings.includes(LEFT_OUT)) this.warnings.push(LEFT_OUT);
    if (!isKept) return undefined;
    this.#bytesLeft -= bytes.length;
    this.images.push({ id: String(this.images.length), mediaType, bytes });
    return id;
  }
}
