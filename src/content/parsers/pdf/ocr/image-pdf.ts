/** An image in shades of gray: a byte for each pixel, row by row from the top. */
export interface GrayImage {
  /** In pixels. */
  width: number;
  /** In pixels. */
  height: number;
  pixels: Buffer;
}

/** Pixels per inch of the page of {@link imagePdf}. */
export const IMAGE_DPI = 150;

/**
 * Writes a PDF whose only page is an image, uncompressed, at {@link IMAGE_DPI}. liteparse makes such a PDF of
 * each image itself, but of four channels and compressed, which takes much more memory and a tenth of a
 * second.
 */
export function imagePdf({ width, height, pixels }: GrayImage): Buffer {
  const size = [width, height].map((length) => (length * 72) / IMAGE_DPI);
  const content = `${size[0]} 0 0 ${size[1]} 0 0 cm /Image Do`;
  const objects = [
    ['<< /Type /Catalog /Pages 2 0 R >>'],
    ['<< /Type /Pages /Kids [3 0 R] /Count 1 >>'],
    [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${size.join(' ')}] /Contents 4 0 R /Resources << /XObject << /Image 5 0 R >> >> >>`,
    ],
    [`<< /Length ${content.length} >>\nstream\n${content}\nendstream`],
    [
      `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Length ${pixels.length} >>\nstream\n`,
      pixels,
      '\nendstream',
    ],
  ];
  const parts: (string | Buffer)[] = ['%PDF-1.4\n'];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  for (const [place, object] of objects.entries()) {
    offsets.push(length);
    for (const part of [`${place + 1} 0 obj\n`, ...object, '\nendobj\n']) {
      parts.push(part);
      length += part.length;
    }
  }
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  parts.push(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`, ...entries);
  parts.push(`trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`);
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
}
