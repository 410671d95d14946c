import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { ApiError, readFile } from '../api.ts';
import { bytes } from '../elements/format.ts';

/** The formats of exports, as people know them, by their names in the API. */
const FORMATS: Record<string, string> = { jsonl: 'JSON Lines', parquet: 'Parquet', warc: 'WARC' };
/** A browser shows this one only as the sites were if their responses were kept. */
const WITH_ARCHIVE: Record<string, string> = { ...FORMATS, wacz: 'WACZ' };

/**
 * Buttons that save the documents of a batch or crawl as a file.
 * @param props.archivedBytes of the responses of the sites that the job keeps; undefined if it keeps none
 */
export function Exports({ path, archivedBytes }: { path: string; archivedBytes: number | undefined }) {
  const running = useSignal('');
  const fault = useSignal('');
  const save = (format: string) => async () => {
    running.value = format;
    fault.value = '';
    try {
      saveAs(await readFile(`${path}/export?format=${format}`));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      fault.value = error.message;
    } finally {
      running.value = '';
    }
  };
  return html`
    <div class="bar" role="group" aria-label="Export">
      <small>Export</small>
      ${Object.entries(archivedBytes === undefined ? FORMATS : WITH_ARCHIVE).map(
        ([format, title]) => html`
          <button type="button" disabled=${running.value !== ''} onClick=${save(format)}>
            ${running.value === format && html`<span class="spinner" />`}${title}</button>`,
      )}
      ${archivedBytes !== undefined && html`<small>with ${bytes(archivedBytes)} of responses as the sites sent them</small>`}
    </div>
    ${fault.value && html`<p class="error" role="alert">${fault.value}</p>`}`;
}

function saveAs({ name, content }: { name: string; content: Blob }): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
