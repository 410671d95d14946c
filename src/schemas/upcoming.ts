import { z } from 'zod';

/**
 * Formats whose requests are already checked but which this version does not produce yet. When one is built, its
 * schema moves into a file of `formats/`.
 */
const simple = <Type extends string>(type: Type) => z.strictObject({ type: z.literal(type) });

/** Request schemas of the formats to come, by their `type`. */
export const UPCOMING_FORMATS = [simple('rawBase64'), simple('audio'), simple('video')] as const;
