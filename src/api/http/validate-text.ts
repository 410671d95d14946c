import { ServiceError } from '../../errors.ts';

/**
 * How deep a body may nest. Converting it to text for the database is recursive, and would overflow the call
 * stack.
 */
const MAX_DEPTH = 500;

/**
 * Refuses what Postgres cannot store: the character NUL, unpaired surrogates, and values that nest too
 * deeply.
 * @param body a parsed JSON body
 * @throws ServiceError `BAD_REQUEST`
 */
export function validateText(body: unknown): void {
  // Not recursive, for the same reason.
  let level = [body];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH)
      throw new ServiceError(
        'BAD_REQUEST',
        `The body nests arrays and objects more than ${MAX_DEPTH} levels deep. Make it flatter.`,
      );
    level = level.flatMap(validateValue);
  }
}

/** Validates the text of a value. @returns the values in it */
function validateValue(value: unknown): unknown[] {
  if (typeof value === 'string') validateString(value);
  else if (Array.isArray(value)) return value;
  else if (typeof value === 'object' && value !== null) {
    for (const name of Object.keys(value)) validateString(name);
    return Object.values(value);
  }
  return [];
}

function validateString(text: string): void {
  if (text.isWellFormed() && !text.includes('\0')) return;
  const excerpt = JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
  throw new ServiceError(
    'BAD_REQUEST',
    `The body contains a string with a NUL character or an unpaired surrogate: ${excerpt}. Remove that character.`,
  );
}
