import { ServiceError } from '../../errors.ts';

/**
 * Refuses text that Postgres cannot store: the character NUL and unpaired surrogates.
 * @param body a parsed JSON body
 * @throws ServiceError `BAD_REQUEST`
 */
export function validateText(body: unknown): void {
  // Not recursive, because a deeply nested body would overflow the call stack.
  const pending: unknown[] = [body];
  while (pending.length) {
    const value = pending.pop();
    if (typeof value === 'string') validateString(value);
    else if (Array.isArray(value)) for (const each of value) pending.push(each);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, each] of Object.entries(value)) {
        validateString(name);
        pending.push(each);
      }
    }
  }
}

function validateString(text: string): void {
  if (text.isWellFormed() && !text.includes('\0')) return;
  const excerpt = JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
  throw new ServiceError(
    'BAD_REQUEST',
    `The body contains a string with a NUL character or an unpaired surrogate: ${excerpt}. Remove that character.`,
  );
}
