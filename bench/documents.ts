import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { toMarkdown } from '../src/html/markdown/index.ts';
import { parseHtml } from '../src/html/parse/parse.ts';
import { createDocumentConverter } from '../src/parsers/conversion/document-converter.ts';
import type { DocumentType } from '../src/parsers/document.ts';
import { convertOffice, type OfficeType } from '../src/parsers/office/index.ts';
import { type PdfOptions, parsePdf, unpackEnglish } from '../src/parsers/pdf/index.ts';
import { convertSpreadsheet } from '../src/parsers/spreadsheet/index.ts';
import { byRole, peakResidentMb, sampleProcesses } from './processes.ts';

const HELP = `Converts the documents of a quality kit to markdown, scores them with the kit's own scorer and prints the CPU time per page
of PDFs and per document of other formats. Each document is converted three times, and the third conversion is measured.

Usage: node bench/documents.ts --kit DIR [--scorer FILE] [OPTIONS]

  --kit DIR      directory of the kit, which has a file docs/index.json
  --scorer FILE  the scorer, if it is not score/documents.mjs of the kit
  --out DIR      directory for the markdown and the language data (default: winnow-documents in the system's temporary directory)
  --set NAME     a set of that file, such as odl-replay (default), multi-docx or docling-xlsx
  --ocr          recognise English text on the pages that need it
  --sandbox      convert in a sandboxed process, as the service does, and also print the memory of that process
  --worst N      also list the N documents with the lowest scores
  --help         print this text
`;

/** Rounds through the set, of which the last one is measured: V8 compiles much of the code in the first ones. */
const ROUNDS = 3;

const { values } = parseArgs({
  options: {
    kit: { type: 'string' },
    scorer: { type: 'string' },
    out: { type: 'string', default: join(tmpdir(), 'winnow-documents') },
    set: { type: 'string', default: 'odl-replay' },
    ocr: { type: 'boolean' },
    sandbox: { type: 'boolean' },
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
  const { convert, close } = await (values.sandbox ? openSandboxed() : openDirect());
  let pages = 0;
  let start = cpuMs();
  for (let round = 1; round <= ROUNDS; round++) {
    start = cpuMs();
    for (const { id, file } of entries) {
      const document = await convert(readFileSync(join(kit, 'docs', file)), extname(file).slice(1));
      predictions[id] = toMarkdown(parseHtml(document.html), { removeBase64Images: false, tidy: true });
      if (round === ROUNDS) pages += document.pages;
    }
  }
  const peak = Math.max(...sampleProcesses({ bench: process.pid }).flatMap(peakOfChild));
  const each = (cpuMs() - start) / pages;
  process.stdout.write(
    `${pages} pages or documents, ${each.toFixed(2)} CPU-ms each, ${(1000 / each).toFixed(0)} per CPU-second\n`,
  );
  if (values.sandbox) process.stdout.write(`peak memory of the sandboxed process: ${peak.toFixed(0)} MB\n`);
  await close();
  mkdirSync(values.out, { recursive: true });
  const target = join(values.out, `${values.set}.json`);
  writeFileSync(target, JSON.stringify(predictions));
  execFileSync(process.execPath, [scorer, values.set, target, `--worst=${values.worst}`], {
    stdio: 'inherit',
  });
}

/** CPU time of this process and of all processes below it, ended ones included. */
function cpuMs(): number {
  return byRole(sampleProcesses({ bench: process.pid }), 'cpuMs').bench ?? 0;
}

function peakOfChild({ pid }: { pid: number }): number[] {
  return pid === process.pid ? [] : [peakResidentMb(pid)];
}

type Convert = (bytes: Buffer, extension: string) => Promise<{ html: string; pages: number }>;
interface Converter {
  convert: Convert;
  close(): Promise<void>;
}

/** Converts in this process. */
async function openDirect(): Promise<Converter> {
  const options = values.ocr ? { ocr: await unpackEnglish(join(values.out, 'language-data')) } : {};
  return {
    convert: (bytes, extension) => convertDirectly(bytes, extension, options),
    close: () => Promise.resolve(),
  };
}

/** Converts in a sandboxed process, as the service does. */
async function openSandboxed(): Promise<Converter> {
  const log = (details: unknown, event?: string) =>
    process.stderr.write(`${event} ${JSON.stringify(details)}\n`);
  const documents = await createDocumentConverter({
    cacheDir: values.out,
    processes: 1,
    logger: { warn: log, debug: log },
  });
  return {
    async convert(bytes, extension) {
      // All files of the kit have such types, except for this one.
      const type = (extension === 'xlsm' ? 'xlsx' : extension) as DocumentType;
      const pdf = {
        mode: values.ocr ? ('auto' as const) : ('fast' as const),
        maxPages: 10_000,
        pages: false,
      };
      const task = { type, images: false, pdf };
      const { html, numPages = 1 } = await documents.convert(task, bytes, {
        signal: AbortSignal.timeout(600_000),
        owner: '',
      });
      return { html, pages: numPages };
    },
    close: documents.close,
  };
}

async function convertDirectly(bytes: Buffer, extension: string, options: PdfOptions) {
  switch (extension) {
    case 'pdf': {
      const { html, pages } = await parsePdf(bytes, options);
      return { html, pages: pages.length };
    }
    case 'xlsx':
    case 'xlsm':
    case 'xls':
    case 'ods':
      return {
        html: convertSpreadsheet({ type: extension === 'xlsm' ? 'xlsx' : extension, images: true }, bytes)
          .html,
        pages: 1,
      };
    default:
      // The other files of the kit are docx, doc, odt and rtf.
      return {
        html: (await convertOffice({ type: extension as OfficeType, images: true }, bytes)).html,
        pages: 1,
      };
  }
}
