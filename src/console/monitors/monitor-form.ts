import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { goTo } from '../router.ts';
import { useAction } from '../use-action.ts';
import { PagePreview } from './page-preview.ts';
import { ScheduleFields, scheduleOf } from './schedule-fields.ts';
import { tagsOf } from './tags.ts';

/** The pages that a form names, and how they are read. */
function pagesOf(form: FormData): { urls: string[]; scrapeOptions: Record<string, string[]> } {
  const listOf = (name: string, separator: RegExp) =>
    String(form.get(name) ?? '')
      .split(separator)
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
  const parts = ['includeTags', 'excludeTags'].map((name) => [name, listOf(name, /,/)] as const);
  return {
    urls: listOf('urls', /\n/),
    scrapeOptions: Object.fromEntries(parts.filter(([, selectors]) => selectors.length > 0)),
  };
}

/** What has the screenshots of pages compared besides their words. */
const withScreenshots = (scrapeOptions: object) => ({
  scrapeOptions: { ...scrapeOptions, formats: ['markdown', { type: 'screenshot', fullPage: true }] },
  changeDetection: { screenshot: {} },
});

/**
 * A form that creates a monitor of pages, and leads to it.
 * @param props.isFirst whether it is open at first
 * @param props.tag the tag of the group that is shown, which the new monitor gets
 */
export function MonitorForm({ isFirst, tag }: { isFirst: boolean; tag: string }) {
  // A monitor that others make meanwhile does not close the form.
  const isOpen = useSignal(isFirst);
  const { fault, run } = useAction();
  const create = async (event: Event) => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const { urls, scrapeOptions } = pagesOf(form);
    const target = {
      type: 'scrape',
      urls,
      scrapeOptions,
      ...(form.has('screenshot') && withScreenshots(scrapeOptions)),
    };
    const body = {
      name: text('name'),
      tags: tagsOf(text('tags')),
      schedule: scheduleOf(form),
      targets: [target],
      ...(text('goal') && { goal: text('goal') }),
      ...(text('webhook') && { webhook: text('webhook') }),
    };
    const made = await run<{ data: { id: string } }>({ method: 'POST', path: '/v2/monitor', body });
    if (made) goTo(`/monitors/${made.data.id}`);
  };
  return html`
    <details class="card new-monitor" open=${isOpen.value}>
      <summary>New monitor</summary>
      <form onSubmit=${create}>
        <div class="limits">
          <label>Name <input name="name" required maxlength="256" placeholder="Prices" /></label>
          <${ScheduleFields} schedule="" timezone=${Intl.DateTimeFormat().resolvedOptions().timeZone} />
          <label>Tags <small>optional, separated by commas</small> <input name="tags" key=${tag} defaultValue=${tag} placeholder="shop, lamps" /></label>
          <label>Webhook URL <small>optional</small> <input name="webhook" placeholder="https://example.com/hook" /></label>
        </div>
        <p><label>URLs of pages, one a line
          <textarea name="urls" required rows="4" class="code" placeholder="https://example.com/lamp" /></label></p>
        <div class="limits">
          <label>Only these parts <small>CSS selectors, optional</small> <input name="includeTags" placeholder="main, .price" /></label>
          <label>Not these parts <small>optional</small> <input name="excludeTags" placeholder=".related, nav" /></label>
        </div>
        <${PagePreview} wanted=${(button: HTMLButtonElement) => {
          const form = button.form;
          const { urls, scrapeOptions } = pagesOf(form ? new FormData(form) : new FormData());
          if (!urls.length) form?.reportValidity();
          return { url: urls[0], scrapeOptions };
        }} />
        <p><label class="check"><input type="checkbox" name="screenshot" /> Compare how the pages look, too <small>by screenshots of the whole page</small></label></p>
        <p><label>What changes matter, in words <small>optional; a language model judges each change by it</small>
          <textarea name="goal" rows="2" maxlength="2000" placeholder="The price is lower than before." /></label></p>
        ${fault && html`<p class="error" role="alert">${fault}</p>`}
        <button class="primary">Create the monitor</button>
        <p class="about">Sites, searches and what counts as a change: <a href="/docs/guides/monitors">guide to monitors</a>.</p>
      </form>
    </details>`;
}
