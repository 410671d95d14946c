import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { Markdown } from '../elements/markdown.ts';
import { useAction } from '../use-action.ts';

/** What `POST /v2/scrape` returns of a page that is previewed. */
interface Preview {
  markdown?: string;
  warning?: string;
  metadata: { statusCode?: number };
}

/**
 * A button that reads a page once, as a monitor would, and shows what would be compared.
 * @param props.wanted returns the page and how it is read, by the form as it is; no URL before one is typed
 */
export function PagePreview({
  wanted,
}: {
  wanted: (button: HTMLButtonElement) => { url: string | undefined; scrapeOptions: object };
}) {
  const { fault, run } = useAction();
  const isBusy = useSignal(false);
  const found = useSignal<(Preview & { url: string }) | undefined>(undefined);
  const read = async (event: Event) => {
    const { url, scrapeOptions } = wanted(event.currentTarget as HTMLButtonElement);
    if (url === undefined) return;
    isBusy.value = true;
    const body = { url, ...scrapeOptions, formats: ['markdown'], maxAge: 0 };
    const scraped = await run<{ data: Preview }>({ method: 'POST', path: '/v2/scrape', body });
    found.value = scraped && { ...scraped.data, url };
    isBusy.value = false;
  };
  return html`
    <button type="button" disabled=${isBusy.value} onClick=${read}>Preview the first page</button>
    <small> reads it once, which costs what a check of it costs</small>
    ${fault && html`<p class="error" role="alert">${fault}</p>`}
    <div role="status">
      ${isBusy.value && html`<p class="waiting"><span class="spinner" />Reading the page…</p>`}
      ${found.value && html`<${Found} ...${found.value} />`}
    </div>`;
}

function Found({ url, markdown = '', warning, metadata: { statusCode = 200 } }: Preview & { url: string }) {
  const label = `What would be watched of ${url}`;
  return html`
    ${statusCode >= 400 && html`<p class="warning">The page responded with HTTP ${statusCode}: a check would be an error.</p>`}
    ${warning && html`<p class="warning">${warning}</p>`}
    <div class="diff rendered" tabindex="0" role="region" aria-label=${label}>
      <div>${markdown.trim() ? html`<${Markdown} text=${markdown} />` : html`<p>Nothing of the page is left.</p>`}</div>
    </div>`;
}
