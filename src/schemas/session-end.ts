/** How much memory the browser of a session may use, all its processes together, in GiB. */
export const MAX_BROWSER_MEMORY_GB = 4;
/** How much its pages may store on the disk, beside its downloads, in MiB. */
export const MAX_BROWSER_STORAGE_MB = 512;

/** Why a session ended, and the sentence that its users read. */
export const SESSION_END_SENTENCES = {
  ttl: 'It reached its maximum duration.',
  idle: 'It was not used for too long.',
  deleted: 'It was closed by its owner.',
  credits: 'The credits of its team were used up.',
  crashed: 'Its browser crashed.',
  memory: `Its browser used more than ${MAX_BROWSER_MEMORY_GB} GiB of memory.`,
  disk: `Its pages stored more than ${MAX_BROWSER_STORAGE_MB} MiB, or too many files, in its browser.`,
  failed: 'Its browser did not start.',
  shutdown: 'The service was shut down.',
  lost: 'The machine that it ran on is no longer available.',
} as const;

/** Why a session ended. */
export type SessionEndReason = keyof typeof SESSION_END_SENTENCES;

/**
 * Whether the browser of a session that ended for this reason is no longer there, so that its profile cannot
 * be saved.
 */
export const isBrowserGone = (reason: SessionEndReason | undefined): boolean =>
  reason === 'crashed' || reason === 'memory' || reason === 'disk';
