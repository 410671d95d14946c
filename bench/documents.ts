import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { toMarkdown } from '../src/html/markdown/index.ts';
import { parseHtml } from '../src/html/parse/parse.ts';
import { convertOffice, type OfficeType } from '../src/parsers/office/index.ts';
import { type PdfOptions, parsePdf, unpackEnglish } from '../src/parsers/pdf/index.ts';
import { convertSpreadsheet } from '../src/parsers/spreadsheet/index.ts';

const HELP = `Converts the documents of a quality kit to markdown, scores them with the kit's own scorer and prints the CPU time per page
of PDFs and per document of other formats. Each document is converted twice, and the second conversion is measured.

Usage: node bench/documents.ts --kit DIR [--scorer FILE] [OPTIONS]

  --kit DIR      directory of the kit, which has a file docs/index.json
  --scorer FILE  the scorer, if it is not score/documents.mjs of the kit
  --out DIR      directory for the markdown and the language data (default: winnow-documents in the system's temporary directory)
  --set NAME     a set of that file, such as odl-replay (default), multi-docx or docling-xlsx
  --ocr          recognise English text on the pages that need it
  --worst N      also list the N documents with the lowest scores
  --help         print this text
`;

const { values } = parseArgs({
  options: {
    kit: { type: 'string' },
    scorer: { type: 'string' },
    out: { type: 'string', default: join(tmpdir(), 'winnow-documents') },
    set: { type: 'string', default: 'odl-replay' },
    ocr: { type: 'boolean' },
    worst: { type: 'string', default: '0' },
    help: { type: 'boolean' },
  },
});
if (values.help || !values.kit) process.stdout.write(HELP);
else await main(values.kit, values.scorer ?? join(values.kit, 'score/documents.mjs'));

interface Entry {
  set: string;
  id: string;
  file: string;
}

async function main(kit: string, scorer: string): Promise<void> {
  // The kit is trusted.
  const index = JSON.parse(readFileSync(join(kit, 'docs/index.json'), 'utf8')) as Entry[];
  const entries = index.filter(({ set }) => set === values.set);
  const predictions: Record<string, string> = {};
  let pages = 0;
  let milliseconds = 0;
  const options = values.ocr ? { ocr: await unpackEnglish(join(values.out, 'language-data')) } : {};
  // The first round is a warm-up.
  for (const round of [0, 1]) {
    for (const { id, file } of entries) {
      const bytes = readFileSync(join(kit, 'docs', file));
      const start = process.cpuUsage();
      const document = await convert(bytes, extname(file).slice(1), options);
      predictions[id] = toMarkdown(parseHtml(document.html), { removeBase64Images: false, tidy: true });
      const { user, system } = process.cpuUsage(start);
      if (round === 0) continue;
      milliseconds += (user + system) / 1000;
      pages += document.pages;
    }
  }
  mkdirSync(values.out, { recursive: true });
  const target = join(values.out, `${values.set}.json`);
  writeFileSync(target, JSON.stringify(predictions));
  process.stdout.write(`${pages} pages or documents, ${(milliseconds / pages).toFixed(2)} CPU-ms each\n`);
  execFileSync(process.execPath, [scorer, values.set, target, `--worst=${values.worst}`], {
    stdio: 'inherit',
  });
}

async function convert(bytes: Buffer, extension: string, options: PdfOptions) {
  switch (extension) {
    case 'pdf': {
      const { html, pages } = await parsePdf(bytes, options);
      return { html, pages: pages.length };
    }
    case 'xlsx':
    case 'xlsm':
    case 'xls':
    case 'ods':
      return { html: convertSpreadsheet(extension === 'xlsm' ? 'xlsx' : extension, bytes).html, pages: 1 };
    default:
      // The other files of the kit are docx, doc, odt and rtf.
      return {
        html: (await convertOffice({ type: extension as OfficeType, images: true }, bytes)).html,
        pages: 1,
      };
  }
}
