import { html } from 'htm/preact';
import { changedFields, FieldTable } from '../elements/field-table.ts';
import { ago } from '../elements/format.ts';
import { LineDiff } from '../elements/line-diff.ts';

/** What changed on a page since it was scraped before, as the format `changeTracking` has it. */
export interface ChangeTracking {
  previousScrapeAt: string | null;
  changeStatus: 'new' | 'same' | 'changed' | 'removed';
  visibility: 'visible' | 'hidden';
  diff?: { text: string };
  json?: Record<string, unknown>;
}

/** What each state means. */
const SENTENCES: Record<ChangeTracking['changeStatus'], string> = {
  new: 'The page was read for the first time. The next scrape is compared with this one.',
  same: 'The page is as it was.',
  changed: 'The page has changed.',
  removed: 'The page is gone.',
};

/** What changed on a page: in words, line by line, and by the fields of its data. */
export function Changes({ changes }: { changes: ChangeTracking }) {
  const { changeStatus, previousScrapeAt, visibility, diff, json } = changes;
  const fields = changedFields(json);
  return html`
    <p class="facts" role="status">
      <span class=${`state ${changeStatus}`}>${SENTENCES[changeStatus]}</span>
      ${previousScrapeAt && html`<span>compared with ${ago(previousScrapeAt)}</span>`}
      ${visibility === 'hidden' && html`<span>no link or sitemap leads to it any more</span>`}
    </p>
    ${fields.length > 0 && html`<${FieldTable} fields=${fields} label="Fields that changed" />`}
    ${diff && html`<${LineDiff} text=${diff.text} label="What changed" />`}
    ${
      changeStatus === 'changed' &&
      !diff &&
      html`<p class="about">The lines that changed come with the mode <code>git-diff</code> in the options of changeTracking.</p>`
    }`;
}
