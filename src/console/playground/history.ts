import { signal } from '@preact/signals';

/** A request that was tried in this browser. */
export interface Tried {
  operation: string;
  body: Record<string, unknown>;
  /** Milliseconds since 1970. */
  at: number;
}

const ITEM = 'winnow-history';
const MAX_ENTRIES = 30;
/** Characters of a body that are worth keeping. */
const MAX_BODY = 20_000;

const read = (): Tried[] => {
  try {
    return JSON.parse(localStorage.getItem(ITEM) ?? '[]');
  } catch {
    // Another version, or the user, has written something else.
    return [];
  }
};

/** The requests that were tried, newest first. */
export const tried = signal(read());

/** Remembers a request; an equal one before it is forgotten. */
export function remember(operation: string, body: Record<string, unknown>): void {
  const text = JSON.stringify(body);
  if (text.length > MAX_BODY) return;
  const others = tried.value.filter(
    (each) => each.operation !== operation || JSON.stringify(each.body) !== text,
  );
  tried.value = [{ operation, body, at: Date.now() }, ...others].slice(0, MAX_ENTRIES);
  localStorage.setItem(ITEM, JSON.stringify(tried.value));
}
