import { html } from 'htm/preact';
import { BASE } from '../router.ts';

/** Reads tags that are separated by commas. */
export const tagsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];

/** The list of the monitors that have a tag; of all without one. */
const hrefOf = (tag: string) => `${BASE}/monitors${tag && `?tag=${encodeURIComponent(tag)}`}`;

/** A group of monitors, as `GET /v2/monitor` counts them. */
export interface TagGroup {
  tag: string;
  monitors: number;
}

/** Links to the groups of monitors. @param props.chosen the tag of the group that is shown; empty for all */
export function TagGroups({ groups, chosen }: { groups: TagGroup[]; chosen: string }) {
  if (!groups.length && !chosen) return null;
  const link = (tag: string, text: string, monitors?: number) => html`
    <a class="button" href=${hrefOf(tag)} aria-current=${tag === chosen ? 'page' : undefined} dir="auto">${text}
      ${monitors !== undefined && html` <small>${monitors.toLocaleString()}</small>`}</a>`;
  const isKnown = !chosen || groups.some(({ tag }) => tag === chosen);
  return html`
    <nav class="bar tag-groups" aria-label="Groups by tag">
      ${link('', 'All')}${groups.map(({ tag, monitors }) => link(tag, tag, monitors))}${!isKnown && link(chosen, chosen, 0)}
    </nav>`;
}

/** The tags of a monitor, each of which leads to its group. */
export const TagLinks = ({ tags }: { tags: string[] }) =>
  tags.length > 0 &&
  html`<small class="tag-links">${tags.map((tag) => html`<a key=${tag} href=${hrefOf(tag)} dir="auto">#${tag}</a> `)}</small>`;
