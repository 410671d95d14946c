import type { CollectedFile, OpenPage } from '../formats/format.ts';
import type { Snapshot } from '../snapshot.ts';

/** What an engine needs to know of a request. */
export interface PageRequest {
  /** As the user wrote it; becomes the snapshot's `sourceUrl`. */
  sourceUrl: string;
  /** To be fetched. */
  url: string;
  headers: Record<string, string>;
  skipTlsVerification: boolean;
  mobile: boolean;
  waitForMs: number;
  /** A PDF is wanted as its bytes. */
  pdfAsBase64: boolean;
  /** What formats make from the open page, by their type. */
  collect: Record<string, (page: OpenPage) => Promise<CollectedFile>>;
}

/** A way to obtain a page. The signal's reason is what an aborted call throws. */
export interface Engine {
  obtain(request: PageRequest, signal: AbortSignal): Promise<Snapshot>;
}
