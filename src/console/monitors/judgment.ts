import { html } from 'htm/preact';
import type { Judgment } from './monitor-resources.ts';

/** What the language model thinks of a change, with the parts of it that matter. */
export const JudgmentView = ({ judgment }: { judgment: Judgment }) => html`
  <div class="judgment">
    <p class="facts"><b>${judgment.meaningful ? 'Matters' : 'Does not matter'}</b><span dir="auto">${judgment.reason}</span><span>confidence ${judgment.confidence}</span></p>
    ${
      judgment.meaningfulChanges.length > 0 &&
      html`<ul>${judgment.meaningfulChanges.map(
        ({ before, after, reason }) => html`
          <li>${before !== null && html`<del dir="auto">${before}</del> `}${after !== null && html`<ins dir="auto">${after}</ins> `}<small dir="auto">${reason}</small></li>`,
      )}</ul>`
    }
  </div>`;
