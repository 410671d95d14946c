import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import { lexer, type Token, type Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { count } from './format.ts';

/** Characters of markdown that are rendered at once. More would keep the browser busy for a second. */
const PART = 50_000;
const LINK_SCHEMES = new Set(['http:', 'https:', 'mailto:']);

/**
 * Shows markdown. What a page has written stays text: raw HTML is shown as it is written, links lead only to
 * the web, and pictures, which would be loaded from elsewhere, are named instead of shown.
 */
export function Markdown({ text }: { text: string }) {
  const shown = useSignal(PART);
  const part = useMemo(() => beginningOf(text, shown.value), [text, shown.value]);
  const blocks = useMemo(() => lexer(part).map(block), [part]);
  return html`
    <article class="markdown" dir="auto">${blocks}</article>
    ${
      part.length < text.length &&
      html`<button type="button" onClick=${() => {
        shown.value += PART * 2;
      }}>Show more of ${count(text.length, 'character')}</button>`
    }`;
}

/** The beginning of a text, up to the end of a paragraph if there is one. */
function beginningOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = text.lastIndexOf('\n\n', length);
  return text.slice(0, end > length / 2 ? end : length);
}

const inline = (tokens: Token[] | undefined): ComponentChildren => tokens?.map(span) ?? '';

/** Entities are those of markdown, which the page may have written. */
const decode = (text: string): string => {
  const element = document.createElement('textarea');
  element.innerHTML = text;
  return element.value;
};

function block(token: Token): ComponentChildren {
  switch (token.type) {
    case 'heading':
      // The headings of the console stand above those of the page.
      return html`<${`h${Math.min(6, token.depth + 1)}`}>${inline(token.tokens)}<//>`;
    case 'paragraph':
      return html`<p>${inline(token.tokens)}</p>`;
    case 'list':
      return list(token as Tokens.List);
    case 'blockquote':
      return html`<blockquote>${token.tokens?.map(block)}</blockquote>`;
    case 'code':
      return html`<pre tabindex="0"><code>${token.text}</code></pre>`;
    case 'table':
      return table(token as Tokens.Table);
    case 'hr':
      return html`<hr />`;
    case 'space':
    case 'def':
      return null;
    case 'text':
      return 'tokens' in token ? inline(token.tokens) : decode(token.text);
    default:
      return html`<p>${token.raw}</p>`;
  }
}

function list({ ordered, start, items }: Tokens.List) {
  const entries = items.map(
    (item) =>
      html`<li>${item.task && html`<input type="checkbox" disabled checked=${item.checked} aria-label="Done" />`}${item.tokens.map(block)}</li>`,
  );
  return ordered ? html`<ol start=${start || 1}>${entries}</ol>` : html`<ul>${entries}</ul>`;
}

const table = ({ header, rows }: Tokens.Table) => html`
  <div class="wide" tabindex="0"><table>
    <thead><tr>${header.map((cell) => html`<th scope="col">${inline(cell.tokens)}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${inline(cell.tokens)}</td>`)}</tr>`)}</tbody>
  </table></div>`;

function span(token: Token): ComponentChildren {
  switch (token.type) {
    case 'strong':
      return html`<strong>${inline(token.tokens)}</strong>`;
    case 'em':
      return html`<em>${inline(token.tokens)}</em>`;
    case 'del':
      return html`<del>${inline(token.tokens)}</del>`;
    case 'codespan':
      return html`<code>${token.text}</code>`;
    case 'br':
      return html`<br />`;
    case 'link':
      return html`<${OuterLink} url=${token.href}>${inline(token.tokens)}<//>`;
    case 'image':
      return html`<span class="picture" title=${token.href}>${token.text || 'picture'}</span>`;
    case 'text':
    case 'escape':
      return 'tokens' in token && token.tokens ? inline(token.tokens) : decode(token.text);
    default:
      return token.raw;
  }
}

/** A link to a page of the web, which opens in a tab of its own. Other schemes stay text. */
export function OuterLink({ url, children }: { url: string; children?: ComponentChildren }) {
  const parsed = URL.parse(url);
  if (!parsed || !LINK_SCHEMES.has(parsed.protocol))
    return html`<span title=${url}>${children ?? url}</span>`;
  return html`<a href=${parsed.href} target="_blank" rel="noopener noreferrer nofollow" dir="auto">${children ?? url}</a>`;
}
