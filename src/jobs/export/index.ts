import type { EXPORT_FORMATS as NAMES } from '../../schemas/page-job.ts';
import type { ExportFormat } from './export-format.ts';

/** The formats of exports by the names that requests have for them. */
export const EXPORT_FORMATS: Record<(typeof NAMES)[number], ExportFormat> = {
  jsonl: {
    mediaType: 'application/x-ndjson',
    extension: '.jsonl',
    summary: 'one document on each line',
    load: async () => (await import('./json-lines.ts')).writeJsonLines,
  },
  parquet: {
    mediaType: 'application/vnd.apache.parquet',
    extension: '.parquet',
    summary: 'a table with the columns of the index of Common Crawl, the outputs and the metadata',
    load: async () => (await import('./parquet.ts')).writeParquet,
  },
  warc: {
    mediaType: 'application/warc',
    extension: '.warc.gz',
    summary:
      'a compressed web archive (WARC 1.1): what the sites sent if the job has `archive`, and what was made of it',
    load: async () => (await import('./web-archive/warc.ts')).writeWarc,
  },
  wacz: {
    mediaType: 'application/wacz',
    extension: '.wacz',
    summary:
      'the same archive with an index and a list of pages (WACZ 1.1.1), which ReplayWeb.page opens offline',
    load: async () => (await import('./web-archive/wacz.ts')).writeWacz,
  },
};
