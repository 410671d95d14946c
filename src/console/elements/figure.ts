import { html } from 'htm/preact';

/** A number with its title, in a list of figures (`dl.figures`). */
export const Figure = ({ title, text, note }: { title: string; text: string; note?: string }) =>
  html`<div class="figure"><dt>${title}</dt><dd>${text}${note && html` <small>${note}</small>`}</dd></div>`;
