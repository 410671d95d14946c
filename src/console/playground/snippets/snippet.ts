import type { Operation } from '../operations.ts';

/** A request as a program would send it. */
export interface Snippet {
  language: string;
  text: string;
}

/** What a snippet is written for. */
export interface SnippetRequest {
  /** The URL of the service, without a path. */
  origin: string;
  operation: Operation;
  body: Record<string, unknown>;
  /** The name of the file that is sent with it. */
  fileName?: string | undefined;
}

/** What stands for the key of the user, which is never written into a program. */
export const KEY_VARIABLE = 'WINNOW_API_KEY';
