/** Why a session ended, and the sentence that its users read. */
export const SESSION_END_SENTENCES = {
  ttl: 'It reached its maximum duration.',
  idle: 'It was not used for too long.',
  deleted: 'It was closed by its owner.',
  credits: 'The credits of its team were used up.',
  crashed: 'Its browser crashed.',
  failed: 'Its browser did not start.',
  shutdown: 'The service was shut down.',
  lost: 'The machine that it ran on is no longer available.',
} as const;

/** Why a session ended. */
export type SessionEndReason = keyof typeof SESSION_END_SENTENCES;
