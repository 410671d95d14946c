import type { UploadedFile } from '../schemas/scrape.ts';
import type { Caller } from '../storage/db/teams/teams.ts';
import type { SynchronousKind } from '../temporal/workflow-starts.ts';
import type { EncryptedFile } from './http/encrypted-file.ts';

/** A scrape, map or search, whose HTTP request stays open until the job ends. */
export interface SynchronousJob {
  kind: SynchronousKind;
  caller: Caller;
  /** The requested URL, or the query of a search. */
  target: string;
  request: { origin: string; upload?: Pick<UploadedFile, 'name' | 'digest'> };
  timeoutMs: number;
  /** Credits that it is expected to cost. */
  reserved: number;
  /** Whether it is a scrape that may end so soon that its workflow is recorded afterwards. */
  isQuick?: boolean;
  /**
   * Fires when the wait should end: the client has disconnected, or the process was asked to stop. The job goes on,
   * unless the reason is {@link JobAbandoned}.
   */
  signal: AbortSignal;
  /** Whether the job has zero data retention: its data are encrypted, and deleted after the response. */
  isEncrypted: boolean;
  /** The file that it parses. */
  file?: JobFile;
}

/** The file that a job parses: it came with the request, or was uploaded before and is named by its id. */
export type JobFile = { sent: EncryptedFile } | { uploadedId: string };

/** The reason of a signal that ends the wait for a job whose result nobody will ask for, so that it is cancelled. */
export class JobAbandoned extends Error {
  constructor() {
    super('The client has left, or has cancelled its call.');
  }
}
