import { signal } from '@preact/signals';
import { ApiError, send } from '../api.ts';

/** Rows that are read at once. */
const PART = 25;
/** Parts that are kept; those that were read first are forgotten. */
const MAX_PARTS = 20;
/** A part is read when its rows have been shown for so long, in milliseconds, so that none is read in passing. */
const REST_MS = 120;

/** Which rows of a list are on the screen. */
export interface ShownRows {
  from: number;
  /** The one after the last. */
  to: number;
  /** How many rows the list has. */
  total: number;
}

/** The rows of a long list of the API that has `skip` and `limit`, of which parts are read when they are shown. */
export class RowParts<Row> {
  readonly rows = signal<ReadonlyMap<number, Row>>(new Map());
  readonly fault = signal('');
  readonly #path: string;
  readonly #filter: Record<string, string>;
  readonly #parts: number[] = [];
  readonly #open = new Set<number>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param filter what the query has besides the part */
  constructor(path: string, filter: Record<string, string> = {}) {
    this.#path = path;
    this.#filter = filter;
  }

  /** Reads rows that are missing, once these have rested. @param isStale whether to read the others as well */
  show({ from, to, total }: ShownRows, isStale = false): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (let part = Math.floor(from / PART); part * PART < to; part++) {
        const rows = Array.from({ length: PART }, (_, at) => part * PART + at);
        const isMissing = rows.some((row) => row < to && !this.rows.value.has(row));
        if ((isMissing || isStale) && !this.#open.has(part)) void this.#read(part, total);
      }
    }, REST_MS);
  }

  async #read(part: number, total: number): Promise<void> {
    this.#open.add(part);
    const end = Math.min((part + 1) * PART, total);
    try {
      // A response has fewer rows than asked for if they are large.
      for (let at = part * PART; at < end; ) {
        const query = new URLSearchParams({ ...this.#filter, limit: String(end - at), skip: String(at) });
        const { data } = (await send<{ data: Row[] }>({ path: `${this.#path}?${query}` })).body;
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

  #keep(from: number, rows: Row[]): void {
    this.rows.value = new Map([...this.rows.value, ...rows.map((row, at) => [from + at, row] as const)]);
  }

  /** Forgets the part that was read first, once there are too many. */
  #forget(newest: number): void {
    if (!this.#parts.includes(newest)) this.#parts.push(newest);
    const old = this.#parts.length > MAX_PARTS ? this.#parts.shift() : undefined;
    if (old === undefined) return;
    const isOld = (row: number) => Math.floor(row / PART) === old;
    this.rows.value = new Map([...this.rows.value].filter(([row]) => !isOld(row)));
  }
}
