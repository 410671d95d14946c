import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { useEffect, useMemo } from 'preact/hooks';
import { HttpStatus } from '../elements/http-status.ts';
import { JsonTree } from '../elements/json-tree.ts';
import { Tabs } from '../elements/tabs.ts';
import { ROW_PX, VirtualList } from '../elements/virtual-list.ts';
import { partsOf } from '../playground/result.ts';
import { RowParts } from './row-parts.ts';

type Values = Record<string, unknown>;

/** The documents of a batch or crawl as a list that scrolls, and the one that was chosen below it. */
export function Documents({ path, total }: { path: string; total: number }) {
  const parts = useMemo(() => new RowParts<Values>(path), [path]);
  const chosen = useSignal<number | undefined>(undefined);
  const shown = useSignal({ from: 0, to: 0 });
  useEffect(() => parts.show({ ...shown.value, total }), [total]);
  if (!total) return html`<div class="empty"><p>No page has a document yet.</p></div>`;
  const documents = parts.rows.value;
  const document = chosen.value === undefined ? undefined : documents.get(chosen.value);
  return html`
    ${parts.fault.value && html`<p class="error" role="alert">${parts.fault.value}</p>`}
    <${VirtualList}
      label="Documents" total=${total} rowPx=${ROW_PX}
      onShow=${(from: number, to: number) => {
        shown.value = { from, to };
        parts.show({ from, to, total });
      }}
      row=${(index: number) => html`
        <${Row} index=${index} document=${documents.get(index)} isChosen=${chosen.value === index} onChoose=${() => {
          chosen.value = index;
        }} />`}
    />
    ${document && html`<${PageDocument} key=${chosen.value} document=${document} />`}`;
}

/** The document of a page, with a tab for each of its formats. */
export const PageDocument = ({ document }: { document: Values }) => html`
  <section class="card" aria-label="Document">
    <h2 dir="auto">${titleOf(document)}</h2>
    <${Tabs} label="Parts of the document" tabs=${[
      ...partsOf(document),
      { name: 'JSON', content: () => html`<${JsonTree} value=${document} />` },
    ]} />
  </section>`;

const metadataOf = (document: Values) => (document.metadata ?? {}) as Values;
const urlOf = (document: Values) => String(metadataOf(document).sourceURL ?? metadataOf(document).url ?? '');
const titleOf = (document: Values) => String(metadataOf(document).title ?? urlOf(document));

function Row({
  index,
  document,
  isChosen,
  onChoose,
}: {
  index: number;
  document: Values | undefined;
  isChosen: boolean;
  onChoose: () => void;
}) {
  const number = html`<small class="number">${(index + 1).toLocaleString()}</small>`;
  if (!document) return html`<span class="row">${number}<small>…</small></span>`;
  const { statusCode } = metadataOf(document);
  return html`
    <button type="button" class="row" aria-pressed=${isChosen} onClick=${onChoose}>
      ${number}<b dir="auto">${titleOf(document)}</b><small dir="auto">${urlOf(document)}</small>
      <small>${statusCode !== undefined && html`<${HttpStatus} status=${statusCode} />`}</small>
    </button>`;
}
