import { writePng } from '../support/documents/png-writer.ts';

const SIDE = 8;

/** The sentence in `/docs/:n.pdf`. */
export const pdfSentence = (n: number) => `This is document ${n} of the generated site.`;

/** A PDF of one page with one line of text. */
export function pdf(n: number): Buffer {
  const text = `BT /F1 18 Tf 72 720 Td (${pdfSentence(n)}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Title (Document ${n}) >>`,
  ];
  let body = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const place = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R /Info ${objects.length} 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(body + end, 'latin1');
}

/** A PNG of 8 by 8 pixels in one colour, which differs for each number. */
export function png(n: number): Buffer {
  const colour = [(n * 67) % 256, (n * 131) % 256, (n * 199) % 256];
  const pixels = Buffer.from(Array.from({ length: SIDE * SIDE }, () => colour).flat());
  return writePng({ width: SIDE, height: SIDE, colourType: 2, pixels });
}
