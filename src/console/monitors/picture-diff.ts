import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { percent } from '../elements/format.ts';
import { Tabs } from '../elements/tabs.ts';

/** What differs in the screenshot of a page, with the URLs of the pictures. */
export interface ScreenshotDiff {
  /** Share of the pixels that differ, from 0 to 1. */
  changedShare: number;
  before: string;
  after: string;
  difference: string;
}

/** The screenshots of a page before and after a change: with a slider between both, one by one, and what differs. */
export function PictureDiff({ diff, url }: { diff: ScreenshotDiff; url: string }) {
  const { before, after, difference, changedShare } = diff;
  const one = (src: string, alt: string) => html`
    <div class="pictures" tabindex="0" role="region" aria-label=${`${alt}: ${url}`}><img src=${src} alt=${alt} /></div>`;
  const tabs = [
    { name: 'Slider', content: () => html`<${Slider} before=${before} after=${after} url=${url} />` },
    { name: 'Before', content: () => one(before, 'The page before') },
    { name: 'After', content: () => one(after, 'The page after') },
    { name: 'Difference', content: () => one(difference, 'What differs, in red') },
  ];
  return html`
    <p class="about">${percent(changedShare)} of the screenshot differs.</p>
    <${Tabs} tabs=${tabs} label=${`Screenshots of ${url}`} />`;
}

/** Both pictures at the same place: one on the left of a line that a slider moves, the other on its right. */
function Slider({ before, after, url }: { before: string; after: string; url: string }) {
  const place = useSignal(50);
  const from = place.value;
  return html`
    <label class="slide">
      <span aria-hidden="true">Before</span>
      <input
        type="range" min="0" max="100" step="1" value=${from}
        aria-label="How much is shown of the page before" aria-valuetext=${`${from} % before, ${100 - from} % after`}
        onInput=${(event: Event) => {
          place.value = Number((event.currentTarget as HTMLInputElement).value);
        }}
      />
      <span aria-hidden="true">After</span>
    </label>
    <div class="pictures" tabindex="0" role="region" aria-label=${`The page before and after: ${url}`}>
      <div class="both">
        <img src=${before} alt="The page before" style=${{ clipPath: `inset(0 ${100 - from}% 0 0)` }} />
        <img src=${after} alt="The page after" style=${{ clipPath: `inset(0 0 0 ${from}%)` }} />
        <span class="edge" style=${{ left: `${from}%` }} />
      </div>
    </div>`;
}
