import { z } from 'zod';
import { PARSERS } from '../parsers/index.ts';

type Selectable = Extract<(typeof PARSERS)[number], { options: z.ZodObject }>;
type Options = Selectable['options'];

const options = PARSERS.flatMap((parser): Options[] => ('options' in parser ? [parser.options] : []));
const types = options.map((each): Selectable['type'] => each.shape.type.value);

/** The file parsers that may be used. With an empty list, a PDF is returned as base64. */
export const parsers = z
  .array(z.union([z.enum(types), ...options]))
  .default(['pdf'])
  .describe('file parsers; [] returns a PDF as base64');

/**
 * The options of each parser that a request allows, with defaults filled in.
 * @param requested the validated option `parsers`
 */
export const parserOptions = (requested: z.output<typeof parsers>): { type: string }[] =>
  requested.map((each) =>
    typeof each === 'string'
      ? // A bare name is the object with only the type.
        options.find(({ shape }) => shape.type.value === each)!.parse({ type: each })
      : each,
  );
