import { signal, useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { useEffect, useMemo } from 'preact/hooks';
import { ApiError, send } from '../api.ts';
import { JsonTree } from '../elements/json-tree.ts';
import { Tabs } from '../elements/tabs.ts';
import { VirtualList } from '../elements/virtual-list.ts';
import { partsOf } from '../playground/result.ts';

type Values = Record<string, unknown>;

/** Documents that are read at once. */
const PART = 25;
/** Parts that are kept; those that were read first are forgotten. */
const MAX_PARTS = 20;
/** A part is read when its rows have been shown for so long, in milliseconds, so that none is read in passing. */
const REST_MS = 120;
/** The height of a row, which the style sheet does not change. */
const ROW_PX = 44;

/** The documents of a job, of which parts are read when their rows are shown. */
class DocumentParts {
  readonly documents = signal<ReadonlyMap<number, Values>>(new Map());
  readonly fault = signal('');
  readonly #path: string;
  readonly #parts: number[] = [];
  readonly #open = new Set<number>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Reads the documents of rows, once these have rested. @param total how many documents there are */
  show(from: number, to: number, total: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (let part = Math.floor(from / PART); part * PART < to; part++) {
        const rows = Array.from({ length: PART }, (_, at) => part * PART + at);
        const isMissing = rows.some((row) => row < to && !this.documents.value.has(row));
        if (isMissing && !this.#open.has(part)) void this.#read(part, total);
      }
    }, REST_MS);
  }

  async #read(part: number, total: number): Promise<void> {
    this.#open.add(part);
    const end = Math.min((part + 1) * PART, total);
    try {
      // A response has fewer documents than asked for if they are large.
      for (let at = part * PART; at < end; ) {
        const path = `${this.#path}?limit=${end - at}&skip=${at}`;
        const { data } = (await send<{ data: Values[] }>({ path })).body;
        this.#keep(at, data);
        at += Math.max(1, data.length);
      }
      this.#forget(part);
      this.fault.value = '';
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.fault.value = error.message;
    } finally {
      this.#open.delete(part);
    }
  }

  #keep(from: number, documents: Values[]): void {
    this.documents.value = new Map([
      ...this.documents.value,
      ...documents.map((document, at) => [from + at, document] as const),
    ]);
  }

  /** Forgets the part that was read first, once there are too many. */
  #forget(newest: number): void {
    if (!this.#parts.includes(newest)) this.#parts.push(newest);
    const old = this.#parts.length > MAX_PARTS ? this.#parts.shift() : undefined;
    if (old === undefined) return;
    const isOld = (row: number) => Math.floor(row / PART) === old;
    this.documents.value = new Map([...this.documents.value].filter(([row]) => !isOld(row)));
  }
}

/** The documents of a batch or crawl as a list that scrolls, and the one that was chosen below it. */
export function Documents({ path, total }: { path: string; total: number }) {
  const parts = useMemo(() => new DocumentParts(path), [path]);
  const chosen = useSignal<number | undefined>(undefined);
  const rows = useSignal<[from: number, to: number]>([0, 0]);
  useEffect(() => parts.show(...rows.value, total), [total]);
  if (!total) return html`<div class="empty"><p>No page is done yet.</p></div>`;
  const documents = parts.documents.value;
  const document = chosen.value === undefined ? undefined : documents.get(chosen.value);
  return html`
    ${parts.fault.value && html`<p class="error" role="alert">${parts.fault.value}</p>`}
    <${VirtualList}
      label="Documents" total=${total} rowPx=${ROW_PX}
      onShow=${(from: number, to: number) => {
        rows.value = [from, to];
        parts.show(from, to, total);
      }}
      row=${(index: number) => html`
        <${Row} index=${index} document=${documents.get(index)} isChosen=${chosen.value === index} onChoose=${() => {
          chosen.value = index;
        }} />`}
    />
    ${
      document &&
      html`
        <section class="card" aria-label="Document" key=${chosen.value}>
          <h2 dir="auto">${titleOf(document)}</h2>
          <${Tabs} label="Parts of the document" tabs=${[
            ...partsOf(document),
            { name: 'JSON', content: () => html`<${JsonTree} value=${document} />` },
          ]} />
        </section>`
    }`;
}

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
      <small>${statusCode !== undefined && `HTTP ${statusCode}`}</small>
    </button>`;
}
