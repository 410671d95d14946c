import { basename } from 'node:path';
import { defineCommand } from 'citty';
import { readConfig } from '../../config.ts';
import { ERRORS, ServiceError } from '../../errors.ts';
import { type Progress, TerminalProgress } from '../../run/embedded/terminal-progress.ts';
import { type ApiResponse, sendRequest } from '../api-client.ts';
import { parseList, parseWholeNumber } from '../arguments.ts';
import { type ServiceConnection, withConnection } from '../connection.ts';
import { type Interrupt, onInterrupt } from '../interrupt.ts';
import { sendForDocument } from '../long-document.ts';
import { openFile } from '../open-file.ts';
import { requireWritable, writeResult } from '../output-file.ts';
import { formatsArg, selectorArgs } from '../page-arguments.ts';
import { openResultWriter } from '../result-writer.ts';
import { formatResult, listWarnings } from '../scrape-output.ts';

const args = {
  'file...': { type: 'positional', description: 'HTML files, documents and images', required: true },
  formats: formatsArg,
  'only-main-content': {
    type: 'boolean',
    description: 'leave out headers, navigation and footers',
    negativeDescription: 'keep the whole file',
    default: true,
  },
  ...selectorArgs,
  mode: { type: 'string', valueHint: 'mode', description: 'how to read a PDF: fast, auto, or ocr' },
  'max-pages': { type: 'string', valueHint: 'n', description: 'read only the first pages of a PDF' },
  pages: { type: 'boolean', description: 'return each page of a PDF by itself, too' },
  'page-markers': { type: 'boolean', description: 'mark where the pages of a PDF begin' },
  timeout: {
    type: 'string',
    valueHint: 'ms',
    description: 'time limit of each file, after which nothing is waited for',
  },
  output: { type: 'string', alias: 'o', valueHint: 'file', description: 'write the result to this file' },
  json: { type: 'boolean', description: 'print the whole response; for several files, one JSON object' },
} as const;

/** The connection and the options with which a command parses files. */
interface Session {
  target: ServiceConnection;
  progress: Progress;
  interrupt: Interrupt;
  options: unknown;
  /** Whether the user has set a time limit, so that nothing is waited for beyond it. */
  isLimited: boolean;
}

/** `parse`: prints a file as `scrape` prints a page, and several files as one JSON document per line. */
export const parseCommand = defineCommand({
  meta: { name: 'parse', description: 'convert files to markdown, HTML, links, …' },
  args,
  async run({ args: values }) {
    const files = values._;
    const formats = parseList(values.formats) ?? [];
    const pdf = {
      mode: values.mode,
      maxPages: parseWholeNumber('max-pages', values['max-pages']),
      pages: values.pages,
      pageMarkers: values['page-markers'],
    };
    const isPdfOption = Object.values(pdf).some((value) => value !== undefined);
    const options = {
      formats,
      onlyMainContent: values['only-main-content'],
      includeTags: parseList(values['include-tags']),
      excludeTags: parseList(values['exclude-tags']),
      timeout: parseWholeNumber('timeout', values.timeout, 'ms'),
      ...(isPdfOption && { parsers: [{ type: 'pdf', ...pdf }, 'image'] }),
      origin: 'cli',
    };
    requireWritable(values.output);
    const config = readConfig();
    const progress = new TerminalProgress();
    const interrupt = onInterrupt(progress.note);
    await withConnection({ config, progress, interrupt }, async (target) => {
      const session = { target, progress, interrupt, options, isLimited: values.timeout !== undefined };
      const { output, json = false } = values;
      if (files.length > 1) return parseFiles(files, session, { output, json });
      // The argument is required, so there is a file.
      const response = await parseFile(files[0]!, session);
      // The list of pages is in the document, beside the format.
      writeResult(formatResult(response, values.pages ? [] : formats, json), output);
    });
  },
});

/**
 * Parses files one after the other. A file that fails does not end the command, but makes its exit code 1.
 */
async function parseFiles(
  files: string[],
  session: Session,
  { output, json }: { output: string | undefined; json: boolean },
): Promise<void> {
  const results = await openResultWriter({ file: output, asOneObject: json });
  let failed = 0;
  for (const file of files) {
    try {
      const { data } = await parseFile(file, session);
      await results.add(JSON.stringify(data));
    } catch (error) {
      if (!(error instanceof ServiceError) || !isOfFile(error)) throw error;
      failed++;
      session.progress.note(`${file}: ${error.message}`);
    }
    if (results.gone.aborted) break;
  }
  await results.end({ success: failed === 0, completed: files.length - failed, failed });
  if (failed) process.exitCode = 1;
}

/** Whether an error concerns one file, so that other files can still be parsed. */
const isOfFile = ({ code }: ServiceError) => ![401, 402, 503].includes(ERRORS[code].status);

async function parseFile(file: string, session: Session): Promise<ApiResponse> {
  const { target, progress, interrupt, options, isLimited } = session;
  const form = new FormData();
  form.append('options', JSON.stringify(options));
  form.append('file', await openFile(file), basename(file));
  const request = { method: 'POST', path: '/v2/parse', form } as const;
  const response = await progress.step(`Parsing ${file}`, () =>
    isLimited
      ? sendRequest(target, request, interrupt.signal)
      : sendForDocument(target, request, { signal: interrupt.signal, note: progress.note }),
  );
  for (const warning of listWarnings(response)) progress.note(`${file}: ${warning}`);
  return response;
}
