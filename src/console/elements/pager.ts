import { html } from 'htm/preact';
import { BASE, place } from '../router.ts';

/** Entries that a part of a list has. */
export const PART = 25;

/** How many entries the part that the URL names passes over. */
export const offsetOf = (query: URLSearchParams): number =>
  Math.max(0, Math.trunc(Number(query.get('offset')) || 0));

/** Links to the parts of a list before and behind the one that is shown. */
export function Pager({ hasMore }: { hasMore: boolean }) {
  const { path, query } = place.value;
  const offset = offsetOf(query);
  if (!offset && !hasMore) return null;
  const hrefOf = (to: number) => {
    const other = new URLSearchParams(query);
    other.set('offset', String(Math.max(0, to)));
    return `${BASE}${path}?${other}`;
  };
  return html`
    <nav class="bar" aria-label="Parts of the list">
      ${offset > 0 && html`<a class="button" href=${hrefOf(offset - PART)}>Previous</a>`}
      ${hasMore && html`<a class="button" href=${hrefOf(offset + PART)}>Next</a>`}
    </nav>`;
}
