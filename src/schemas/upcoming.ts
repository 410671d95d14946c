import { z } from 'zod';

/** Formats whose requests are already checked but which this version does not produce yet. */
export const UPCOMING_FORMATS = [z.strictObject({ type: z.literal('rawBase64') })] as const;
