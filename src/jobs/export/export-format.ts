import type { PageArchive } from '../archive/page-archive.ts';

/** A page of a batch or crawl that is written to an export. */
export interface ExportedPage {
  /** The document of the page as JSON, with URLs of its files. */
  json: string;
  /** When the page ended. */
  finishedAt: Date;
  /** Reads what the sites sent; absent if the job has not kept it. */
  readArchive?: (() => Promise<PageArchive>) | undefined;
}

/** Writes pages as they are read, so that memory does not grow with their number. */
export type WriteExport = (pages: AsyncIterable<ExportedPage>) => AsyncIterable<string | Uint8Array>;

/** A file format of exports. */
export interface ExportFormat {
  mediaType: string;
  /** The end of the names of its files, with the dot. */
  extension: string;
  /** What the API reference says of it. */
  summary: string;
  /** Loads its code, which a process at rest does without. */
  load(): Promise<WriteExport>;
}
