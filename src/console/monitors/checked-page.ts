import { html } from 'htm/preact';
import { changedFields, FieldTable } from '../elements/field-table.ts';
import { percent } from '../elements/format.ts';
import { LineDiff } from '../elements/line-diff.ts';
import { JudgmentView } from './judgment.ts';
import { type CheckPage, PAGE_TITLES, type PageStatus } from './monitor-resources.ts';
import { PictureDiff } from './picture-diff.ts';

/** What is said of a page that has no diff. */
const WITHOUT_DIFF: Record<PageStatus, string> = {
  changed: 'The difference was too large to be kept.',
  new: 'The page was read for the first time.',
  removed: 'The page is gone.',
  error: 'The page could not be read.',
  same: 'Nothing changed.',
};

/** A page of a check: its outcome, and what changed on it. @param props.monitor the path of its monitor */
export function CheckedPage({ page, monitor }: { page: CheckPage; monitor: string }) {
  const { url, targetId, status, statusCode, error, failures, metadata, diff, snapshot, judgment } = page;
  const fields = changedFields(diff?.json);
  const { screenshot } = diff ?? {};
  const ignoredShare = screenshot ? 0 : (snapshot?.changedShare ?? 0);
  const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  return html`
    <li>
      <details open=${diff !== null || error !== null}>
        <summary>
          <span class=${`state ${status}`}>${PAGE_TITLES[status]}</span>
          <small dir="auto">${typeof metadata?.title === 'string' ? metadata.title : url}</small>
        </summary>
        <p class="facts">
          ${isWeb ? html`<a href=${url} target="_blank" rel="noopener noreferrer" dir="auto">${url}</a>` : html`<span dir="auto">${url}</span>`}
          ${statusCode !== null && html`<span>HTTP ${statusCode}</span>`}
          <a href=${`${monitor}/page?url=${encodeURIComponent(url)}&target=${encodeURIComponent(targetId)}`}>History</a>
          ${snapshot?.screenshot && html`<a href=${snapshot.screenshot} target="_blank" rel="noopener noreferrer">Screenshot</a>`}
          ${ignoredShare > 0 && html`<span>${percent(ignoredShare)} of the screenshot differs, which is less than counts</span>`}
          ${failures > 1 && html`<span class="bad">failed in ${failures.toLocaleString()} checks in a row</span>`}
        </p>
        ${error && html`<p class="error">${error}</p>`}
        ${judgment && html`<${JudgmentView} judgment=${judgment} />`}
        ${fields.length > 0 && html`<${FieldTable} fields=${fields} label=${`Fields that changed on ${url}`} />`}
        ${diff?.text !== undefined && html`<${LineDiff} text=${diff.text} label=${`What changed on ${url}`} />`}
        ${screenshot && html`<${PictureDiff} diff=${screenshot} url=${url} />`}
        ${!diff && !error && html`<p class="about">${WITHOUT_DIFF[status]}</p>`}
      </details>
    </li>`;
}
