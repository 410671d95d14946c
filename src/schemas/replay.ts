import { z } from 'zod';

/** Query parameters of `GET /v2/browser/{id}/replay`. */
export const replayQuery = z.strictObject({
  frames: z
    .stringbool()
    .default(true)
    .describe('whether the pictures are in it, which are nearly all of its bytes'),
});

/**
 * What `GET /v2/browser/{id}/replay` streams of a recorded session, one JSON object on each line. `t` is the
 * time since its start in milliseconds.
 */
export type ReplayEntry = { t: number } & ReplayEvent;

/** Something that happened in a recorded session. What was typed is in none of it. */
export type ReplayEvent =
  /** What the tab in use shows from now on: a JPEG image in base64, and the size of the viewport in CSS pixels. */
  | { type: 'frame'; width: number; height: number; data: string }
  | { type: 'pointer'; action: 'move' | 'down' | 'up' | 'wheel' | 'touch'; x: number; y: number }
  | { type: 'input'; kind: 'key' | 'text' | 'paste' | 'drop' }
  | { type: 'navigation'; url: string }
  | { type: 'console'; level: string; text: string }
  | { type: 'requestfailed'; url: string; text: string }
  | { type: 'download'; name: string; state: string };
