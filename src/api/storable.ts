import { ServiceError } from '../errors.ts';

/**
 * Refuses text that no database takes and no page has: the character NUL, and halves of characters.
 * @param sent a parsed JSON body
 * @throws ServiceError `BAD_REQUEST`
 */
export function requireStorable(sent: unknown): void {
  // Without recursion, for the depth is the sender's to choose.
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
