import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { ApiError } from '../api.ts';
import { count } from '../elements/format.ts';
import { type PlaygroundRequest, sendRequest } from './request.ts';

/** A block of a page, as the format `contentBlocks` has it. */
export interface ContentBlock {
  kind: 'heading' | 'text' | 'item' | 'row' | 'code';
  text: string;
  isKept: boolean;
  element?: string;
  because?: string[];
}

/** A copy of the page that is at most this old serves the question, in milliseconds. */
const MAX_AGE_MS = 86_400_000;

/** Reads what was left out of a page, on request: the same request with the format `contentBlocks`. */
export function LeftOutOf({ sent }: { sent: PlaygroundRequest }) {
  const blocks = useSignal<ContentBlock[] | undefined>(undefined);
  const state = useSignal<'' | 'reading' | string>('');
  if (blocks.value) return html`<${LeftOut} blocks=${blocks.value} />`;
  const read = async () => {
    state.value = 'reading';
    const { operation } = sent;
    const body = {
      ...sent.body,
      formats: ['contentBlocks'],
      ...(!operation.takesFile && { maxAge: MAX_AGE_MS }),
    };
    try {
      const response = await sendRequest({ ...sent, body });
      blocks.value = (response.body.data as { contentBlocks?: ContentBlock[] }).contentBlocks ?? [];
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      state.value = error.message;
    }
  };
  if (state.value === 'reading')
    return html`<p class="waiting" role="status"><span class="spinner" />Reading the page once more…</p>`;
  return html`
    ${state.value && html`<p class="error" role="alert">${state.value}</p>`}
    <p class="about">Shows the whole text of the page: what the result has, and what was left out, with the reason for each part. It takes the stored copy of the page where there is one, and costs a scrape.</p>
    <button type="button" onClick=${read}>Show what was left out</button>`;
}

/** Blocks that are shown before the user asks for more. */
const PART = 300;

/** The text of a page in two colours: what was kept, and what was left out, with the reasons. */
export function LeftOut({ blocks }: { blocks: ContentBlock[] }) {
  const isOnlyLeftOut = useSignal(false);
  const shown = useSignal(PART);
  const sizeOf = (isKept: boolean) =>
    blocks.reduce((sum, block) => sum + (block.isKept === isKept ? block.text.length : 0), 0);
  const [kept, leftOut] = [sizeOf(true), sizeOf(false)];
  const share = Math.round((100 * kept) / Math.max(1, kept + leftOut));
  const found = isOnlyLeftOut.value ? blocks.filter(({ isKept }) => !isKept) : blocks;
  return html`
    <div class="bar">
      <p class="facts" role="status">
        <span class="legend kept">kept: ${count(kept, 'character')} (${share} %)</span>
        <span class="legend left-out">left out: ${count(leftOut, 'character')}</span>
      </p>
      <button type="button" class="quiet" aria-pressed=${isOnlyLeftOut.value} onClick=${() => {
        isOnlyLeftOut.value = !isOnlyLeftOut.value;
      }}>Only what was left out</button>
    </div>
    <ol class="judged">
      ${found.slice(0, shown.value).map((block, at) => html`<${Block} key=${at} block=${block} />`)}
    </ol>
    ${!found.length && html`<p class="empty">${blocks.length ? 'Nothing was left out.' : 'The page has no text.'}</p>`}
    ${
      found.length > shown.value &&
      html`<button type="button" onClick=${() => {
        shown.value += PART * 4;
      }}>Show more of ${count(found.length, 'block')}</button>`
    }`;
}

/** Characters of a part that was left out that are shown at once. */
const LONG_TEXT = 300;

function Block({ block: { kind, text, isKept, element, because = [] } }: { block: ContentBlock }) {
  const isWhole = useSignal(false);
  if (isKept) return html`<li class=${`kept ${kind}`} dir="auto">${text}</li>`;
  const isLong = text.length > LONG_TEXT && !isWhole.value;
  return html`
    <li class="left-out">
      <p class="reason"><b>Left out</b> <code>${element}</code> ${because.join(' ') || 'It is not main content.'}</p>
      <p class="text" dir="auto">${isLong ? `${text.slice(0, LONG_TEXT)}…` : text}</p>
      ${
        isLong &&
        html`<button type="button" class="quiet" onClick=${() => {
          isWhole.value = true;
        }}>Show all of it</button>`
      }
    </li>`;
}
