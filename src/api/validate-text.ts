import { ServiceError } from '../errors.ts';

/**
 * Refuses text that Postgres cannot store: the character NUL and unpaired surrogates.
 * @param sent a parsed JSON body
 * @throws ServiceError `BAD_REQUEST`
 */
export function requireStorable(sent: unknown): void {
  // Not recursive, because a deeply nested body would overflow the call stack.
  const rest: unknown[] = [sent];
  while (rest.length) {
    const value = rest.pop();
    if (typeof value === 'string') requireText(value);
    else if (Array.isArray(value)) for (const each of value) rest.push(each);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, each] of Object.entries(value)) {
        requireText(name);
        rest.push(each);
      }
    }
  }
}

function requireText(text: string): void {
  if (text.isWellFormed() && !text.includes('\0')) return;
  const shown = JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
  throw new ServiceError(
    'BAD_REQUEST',
    `The body has a text with the character NUL or half of a character in it: ${shown}. Take it out.`,
  );
}
