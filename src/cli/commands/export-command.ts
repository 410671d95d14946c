import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { defineCommand } from 'citty';
import { readConfig } from '../../config.ts';
import { ServiceError, toServiceError } from '../../errors.ts';
import { JOB_KINDS } from '../../job-kinds.ts';
import { TerminalProgress } from '../../run/embedded/terminal-progress.ts';
import { EXPORT_FORMATS } from '../../schemas/page-job.ts';
import { replaceFile } from '../../system/replace-file.ts';
import { streamFile } from '../api-client.ts';
import { type ServiceConnection, withRunningInstance } from '../connection.ts';
import { onInterrupt } from '../interrupt.ts';
import { requireWritable } from '../output-file.ts';

const NEWLINE = 0x0a;
/** Not `as const`, because citty requires a mutable array. */
const FORMATS = [...EXPORT_FORMATS];

const args = {
  id: { type: 'positional', description: 'id of a batch or crawl', required: true },
  format: {
    type: 'enum',
    options: FORMATS,
    default: 'jsonl',
    description: 'file format: one document on each line, a table, or a web archive',
  },
  output: { type: 'string', alias: 'o', valueHint: 'file', description: 'write to a file instead of stdout' },
  continue: { type: 'boolean', description: 'add to the file of --output the documents that it lacks' },
} as const;

/** `export`: writes the documents of a batch or crawl, also of one that still runs, to a file. */
export const exportCommand = defineCommand({
  meta: { name: 'export', description: 'write the documents of a batch or crawl to a file' },
  args,
  async run({ args: { id, format, output, continue: continues = false } }) {
    if (continues && (format !== 'jsonl' || output === undefined))
      throw new ServiceError(
        'BAD_REQUEST',
        '--continue adds lines to a file, so it needs --output and the format jsonl.',
      );
    requireWritable(output);
    const skip = continues && output !== undefined && existsSync(output) ? await countLines(output) : 0;
    const query = new URLSearchParams({ format, ...(skip > 0 && { skip: String(skip) }) });
    const progress = new TerminalProgress();
    const interrupt = onInterrupt(progress.note);
    await withRunningInstance({ config: readConfig(), progress, interrupt }, (target) =>
      progress.step(`exporting ${id}`, async () => {
        const chunks = streamExport(target, { id, query }, interrupt.signal);
        if (output === undefined) await pipeline(chunks, process.stdout, { end: false });
        else if (continues) await pipeline(chunks, createWriteStream(output, { flags: 'a' }));
        else await writeWhole(chunks, output, format === 'jsonl');
      }),
    );
  },
});

/** Reads the export of a job of either kind, which an id alone does not tell. */
async function* streamExport(
  target: ServiceConnection,
  { id, query }: { id: string; query: URLSearchParams },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const pathOf = (kind: 'crawl' | 'batch_scrape') =>
    `${JOB_KINDS[kind].path}/${encodeURIComponent(id)}/export?${query}`;
  try {
    yield* streamFile(target, pathOf('crawl'), signal);
  } catch (error) {
    if (toServiceError(error).code !== 'NOT_FOUND') throw error;
    yield* streamFile(target, pathOf('batch_scrape'), signal);
  }
}

/** Writes a file, which gets its name when it is whole; lines are there at once, because they can be continued. */
async function writeWhole(chunks: AsyncIterable<Buffer>, file: string, hasLines: boolean): Promise<void> {
  if (hasLines) return pipeline(chunks, createWriteStream(file));
  return replaceFile(file, chunks);
}

/**
 * Counts the lines of a file.
 * @throws ServiceError `BAD_REQUEST` if the last one is not whole, as after an export that was killed
 */
async function countLines(file: string): Promise<number> {
  let lines = 0;
  let last = NEWLINE;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    for (const byte of chunk) if (byte === NEWLINE) lines++;
    last = chunk.at(-1) ?? last;
  }
  if (last === NEWLINE) return lines;
  throw new ServiceError(
    'BAD_REQUEST',
    `The last line of ${file} is not whole. Remove it, and run the command again.`,
  );
}
