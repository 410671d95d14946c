import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { loadTurndown } from './markdown.ts';

/** Converts the bytes of a document to markdown. `type` is the extension of its name, such as `docx`. */
type ConvertDocument = (bytes: Buffer, type: string) => string | Promise<string>;

interface DocumentPeer {
  name: string;
  /** The types of documents that it is measured with. */
  types: readonly string[];
  load(): Promise<ConvertDocument>;
}

const WORKBOOKS = ['xlsx', 'xlsm', 'xls'];
const OPEN_DOCUMENT = ['odt', 'ods', 'odp'];

/** The npm packages that convert documents, configured as in the quality kit. */
export const DOCUMENT_PEERS: readonly DocumentPeer[] = [
  {
    name: 'liteparse 2.14.7',
    types: ['pdf'],
    async load() {
      const { LiteParse } = await import('@llamaindex/liteparse');
      const options = { ocrEnabled: false, quiet: true, outputFormat: 'markdown' } as const;
      return async (bytes) => (await new LiteParse(options).parse(bytes)).text;
    },
  },
  {
    name: 'anydoc 0.1.9',
    types: ['pdf', 'docx', 'doc', 'rtf', ...OPEN_DOCUMENT, ...WORKBOOKS],
    async load() {
      const { toMarkdownBytes } = await import('@firecrawl/anydoc');
      return (bytes) => toMarkdownBytes(bytes);
    },
  },
  {
    name: 'pdf-inspector 1.25.1',
    types: ['pdf'],
    async load() {
      const { processPdf }: { processPdf(bytes: Buffer): { markdown?: string } } =
        load('@firecrawl/pdf-inspector');
      return (bytes) => processPdf(bytes).markdown ?? '';
    },
  },
  {
    name: 'pdf2md 0.3.2',
    types: ['pdf'],
    async load() {
      return load<(bytes: Buffer) => Promise<string>>('@opendocsg/pdf2md');
    },
  },
  {
    name: 'officeparser 8.1.1',
    types: ['pdf', 'docx', 'rtf', ...OPEN_DOCUMENT, 'xlsx', 'xlsm'],
    async load() {
      const { parseOffice }: OfficeParser = load('officeparser');
      return async (bytes, fileType) => {
        const options = fileType === 'xlsm' ? { fileType: 'xlsx' } : { fileType };
        return (await (await parseOffice(bytes, options)).to('md')).value;
      };
    },
  },
  {
    name: 'pdf-parse 2.4.5',
    types: ['pdf'],
    async load() {
      const { PDFParse, VerbosityLevel } = await import('pdf-parse');
      return async (bytes) => {
        const parser = new PDFParse({ data: new Uint8Array(bytes), verbosity: VerbosityLevel.ERRORS });
        const { text } = await parser.getText();
        await parser.destroy();
        return text;
      };
    },
  },
  {
    name: 'unpdf 1.8.1',
    types: ['pdf'],
    async load() {
      const { getDocumentProxy, extractText }: Unpdf = await import('unpdf' as string);
      return async (bytes) =>
        (await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: true })).text;
    },
  },
  {
    name: 'mammoth 1.13.0 + turndown',
    types: ['docx'],
    async load() {
      const { convertToHtml, images } = await import('mammoth');
      const { turndown } = await loadTurndown('@truto/turndown-plugin-gfm');
      const convertImage = images.imgElement(async () => ({ src: '' }));
      return async (buffer) => {
        const { value } = await convertToHtml({ buffer }, { convertImage });
        return turndown(withHeaderRows(value.replace(/<img[^>]*>/g, '')));
      };
    },
  },
  {
    name: 'word-extractor 1.0.4',
    types: ['doc'],
    async load() {
      const WordExtractor: WordExtractorClass = load('word-extractor');
      return async (bytes) => (await new WordExtractor().extract(bytes)).getBody();
    },
  },
  {
    name: 'SheetJS 0.18.5',
    types: WORKBOOKS,
    async load() {
      const { read, utils }: SheetJs = load('xlsx');
      return (bytes) => {
        const { SheetNames, Sheets } = read(bytes);
        const tables = SheetNames.map((name) =>
          pipeTable(utils.sheet_to_json(Sheets[name], { header: 1, raw: false, defval: '' })),
        );
        return SheetNames.map((name, place) => `# ${name}\n\n${tables[place]}`).join('\n\n');
      };
    },
  },
];

/** The program tesseract, in one thread: with more it takes more CPU time for the same text. */
export const TESSERACT: DocumentPeer = {
  name: 'tesseract (the program)',
  types: ['png'],
  async load() {
    const env = { ...process.env, OMP_THREAD_LIMIT: '1' };
    return (input) =>
      execFileSync('tesseract', ['-', '-', '-l', 'eng'], { input, env, stdio: 'pipe' }).toString();
  },
};

/** Loads a CommonJS package of this folder, whose own types are missing until it is installed. */
function load<Exports>(name: string): Exports {
  // The caller names the parts that it uses.
  return createRequire(import.meta.url)(name) as Exports;
}

interface OfficeParser {
  parseOffice(
    bytes: Buffer,
    options: { fileType: string },
  ): Promise<{ to(format: 'md'): Promise<{ value: string }> }>;
}
interface Unpdf {
  getDocumentProxy(bytes: Uint8Array): Promise<object>;
  extractText(pdf: object, options: { mergePages: true }): Promise<{ text: string }>;
}
type WordExtractorClass = new () => { extract(bytes: Buffer): Promise<{ getBody(): string }> };
interface SheetJs {
  read(bytes: Buffer): { SheetNames: string[]; Sheets: Record<string, object> };
  utils: { sheet_to_json(sheet: object | undefined, options: object): string[][] };
}

/** Makes the first row of each table its header, which markdown needs. */
const withHeaderRows = (html: string) =>
  html.replace(
    /(<table>)<tr>(.*?)<\/tr>/gs,
    (_, table, row: string) => `${table}<tr>${row.replace(/<(\/?)td/g, '<$1th')}</tr>`,
  );

function pipeTable(rows: readonly string[][]): string {
  const width = Math.max(0, ...rows.map((row) => row.length));
  if (width === 0) return '';
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const cell = (text: unknown) =>
    String(text ?? '')
      .replace(/\s*\n\s*/g, ' ')
      .replaceAll('|', '\\|');
  const [header, ...body] = rows.map((row) => line(Array.from({ length: width }, (_, at) => cell(row[at]))));
  return [header, line(Array<string>(width).fill('---')), ...body].join('\n');
}
