import { quote, ServiceError } from '../../errors.ts';

/**
 * Refuses what Postgres cannot store: the character NUL, and unpaired surrogates.
 * @param body a parsed JSON body, which nests no deeper than the bounds of bodies allow
 * @throws ServiceError `BAD_REQUEST`
 */
export function validateText(body: unknown): void {
  if (typeof body === 'string') validateString(body);
  else if (Array.isArray(body)) body.forEach(validateText);
  else if (typeof body === 'object' && body !== null) {
    for (const [name, value] of Object.entries(body)) {
      validateString(name);
      validateText(value);
    }
  }
}

function validateString(text: string): void {
  if (text.isWellFormed() && !text.includes('\0')) return;
  throw new ServiceError(
    'BAD_REQUEST',
    `The body contains a string with a NUL character or an unpaired surrogate: ${quote(text)}. Remove that character.`,
  );
}
