import { z } from 'zod';

/**
 * Picks those members of a request body that models should know. Others are accepted, and checked by the route.
 * A member with a default is optional, and the default is left to the route.
 */
export function loosely<Shape extends z.ZodRawShape, Name extends Extract<keyof Shape, string>>(
  body: z.ZodObject<Shape>,
  names: readonly Name[],
): z.ZodObject<Pick<Shape, Name>, z.core.$loose> {
  const picked = Object.fromEntries(names.map((name) => [name, body.shape[name]]));
  // `fromEntries` loses which name has which schema.
  return z.looseObject(picked as Pick<Shape, Name>);
}

/** The id of a job. No other parameter is passed on, so each is refused. */
export const idParameter = (of: string) => z.strictObject({ id: z.string().describe(`id of ${of}`) });
