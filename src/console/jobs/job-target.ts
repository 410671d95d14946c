import { html } from 'htm/preact';
import { send } from '../api.ts';
import { OuterLink } from '../elements/markdown.ts';
import { usePolling } from '../polling.ts';

/** The API names an uploaded file by a URL with this beginning, which leads nowhere. */
const UPLOADS = 'https://uploads.invalid/';

/** Whether the target of a job is a file that was uploaded. */
export const isUpload = (target: string | null): boolean => target?.startsWith(UPLOADS) ?? false;

/** The target of a job as people know it: the name of an uploaded file, and what it is otherwise. */
export function nameOfTarget(target: string): string {
  if (!isUpload(target)) return target;
  const name = target.slice(UPLOADS.length);
  try {
    return decodeURIComponent(name);
  } catch {
    // Somebody may ask for any URL there.
    return name;
  }
}

/** What a job is about, below its title. */
export const JobTarget = ({ target, more = 0 }: { target: string; more?: number }) => html`
  <p class="job-target" dir="auto">
    ${isUpload(target) ? nameOfTarget(target) : html`<${OuterLink} url=${target} />`}
    ${more > 0 && html` <small>and ${more.toLocaleString()} more</small>`}
  </p>`;

/** The first page of a batch or crawl, which is the start page of a crawl. */
export function FirstPage({ path, isBatch }: { path: string; isBatch: boolean }) {
  const { value } = usePolling(
    async (signal) =>
      (await send<{ total: number; data: { url: string }[] }>({ path: `${path}/pages?limit=1`, signal }))
        .body,
    () => undefined,
    path,
  );
  const first = value?.data[0];
  if (!value || !first) return null;
  return html`<${JobTarget} target=${first.url} more=${isBatch ? value.total - 1 : 0} />`;
}
