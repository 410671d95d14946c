import { html } from 'htm/preact';
import { bytes, duration } from '../elements/format.ts';
import type { Attempt, PageWhy } from './page-why.ts';

/** A row of a waterfall: when something began, and how long it took. */
interface Span {
  name: string;
  note?: string;
  startMs: number;
  ms: number;
  kind: 'stage' | 'attempt' | 'refused' | 'model';
}

const STAGES: Record<string, string> = {
  queue: 'Waited for a slot',
  robots: 'Asked robots.txt',
  cache: 'Looked into the cache',
  fetch: 'Fetched the page',
  document: 'Converted the document',
  render: 'Derived the formats',
  models: 'Asked the model',
  formats: 'Finished the formats',
};
/** The result of an attempt that got the page: a response without an error. */
const GOT_PAGE = /^HTTP [123]/;
/** A bar is at least this wide, in percent, so that it can be seen. */
const LEAST_WIDTH = 0.6;

/** The stages of a page under each other, each with what happened in it. */
export function Waterfall({ why }: { why: PageWhy }) {
  const spans = spansOf(why);
  if (!spans.length) return null;
  const end = Math.max(1, ...spans.map(({ startMs, ms }) => startMs + ms));
  return html`
    <table class="waterfall">
      <caption class="hidden">What happened when</caption>
      <thead><tr><th scope="col">Step</th><th scope="col"><span class="hidden">When</span></th><th scope="col" class="number">Took</th></tr></thead>
      <tbody>
        ${spans.map(
          ({ name, note, startMs, ms, kind }) => html`
            <tr class=${kind}>
              <th scope="row">${name}${note && html` <small>${note}</small>`}</th>
              <td class="lane"><span style=${place({ startMs, ms, end })} title=${`from ${duration(startMs)} to ${duration(startMs + ms)}`} /></td>
              <td class="number">${duration(ms)}</td>
            </tr>`,
        )}
      </tbody>
    </table>`;
}

function place({ startMs, ms, end }: { startMs: number; ms: number; end: number }) {
  const width = Math.max((100 * ms) / end, LEAST_WIDTH);
  return { left: `${Math.min((100 * startMs) / end, 100 - width)}%`, width: `${width}%` };
}

/** Lists the stages, with the attempts of engines and the calls of a model behind those that they belong to. */
function spansOf({ stages = [], attempts, modelCalls = [] }: PageWhy): Span[] {
  const tried = attempts.map(attemptSpan);
  const asked = modelCalls.map(
    ({ feature, tokens, result, ...time }): Span => ({
      name: feature,
      note: `${tokens.toLocaleString()} tokens${result === 'ok' ? '' : `, ${result}`}`,
      ...time,
      kind: 'model',
    }),
  );
  const behind = new Map([
    ['fetch', tried.filter(({ name }) => name !== 'cache')],
    ['models', asked],
    ['cache', tried.filter(({ name }) => name === 'cache')],
  ]);
  const rows = stages.flatMap(({ stage, ...time }) => [
    { name: STAGES[stage] ?? stage, ...time, kind: 'stage' as const },
    ...(behind.get(stage) ?? []),
  ]);
  // A format may ask a model although no question was open; a record of an earlier version has no stages.
  const left = [...tried, ...asked].filter((span) => !rows.includes(span as never));
  return [...rows, ...left];
}

function attemptSpan({ engine, startMs, ms, result, because, blockedBy, bytes: size }: Attempt): Span {
  const notes = [
    result,
    blockedBy !== undefined && blockedBy !== result && `blocked by ${blockedBy}`,
    size !== undefined && bytes(size),
    because !== undefined && `tried because of: ${because}`,
  ].filter((note) => typeof note === 'string');
  return {
    name: engine,
    note: notes.join(', '),
    startMs,
    ms,
    kind: blockedBy === undefined && GOT_PAGE.test(result) ? 'attempt' : 'refused',
  };
}
