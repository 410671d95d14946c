import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';

/** Lines that are shown before the user asks for more. */
const PART = 200;
/** The most characters of a line that are shown. */
const MAX_CHARACTERS = 20_000;

/** A line of a diff, and what became of it. `gap` stands between two places of the page. */
interface DiffLine {
  kind: 'added' | 'removed' | 'kept' | 'gap';
  text: string;
}

const KINDS: Record<string, DiffLine['kind']> = { '+': 'added', '-': 'removed', '@': 'gap' };
const SIGNS = { added: '+', removed: '−', kept: ' ', gap: '' };

/** The lines of a unified diff without its two lines of heading. */
const linesOf = (diff: string): DiffLine[] =>
  diff
    .split('\n')
    .slice(2)
    .map((line) => ({ kind: KINDS[line[0] ?? ''] ?? 'kept', text: line.slice(1, MAX_CHARACTERS) }));

/** A unified diff line by line. What was added and removed is said by a sign, by a colour, and to screen readers. */
export function LineDiff({ text, label }: { text: string; label: string }) {
  const shown = useSignal(PART);
  const lines = linesOf(text);
  return html`
    <div class="diff code" tabindex="0" role="region" aria-label=${label}>
      ${lines.slice(0, shown.value).map((line) => html`<${Line} ...${line} />`)}
    </div>
    ${
      lines.length > shown.value &&
      html`<button type="button" onClick=${() => {
        shown.value += PART * 5;
      }}>${(lines.length - shown.value).toLocaleString()} more lines</button>`
    }`;
}

function Line({ kind, text }: DiffLine) {
  if (kind === 'gap') return html`<div class="gap" aria-hidden="true">⋯</div>`;
  const content = html`<span class="sign" aria-hidden="true">${SIGNS[kind]}</span><span class="hidden">${kind === 'kept' ? '' : `${kind}: `}</span><span dir="auto">${text}</span>`;
  if (kind === 'added') return html`<ins>${content}</ins>`;
  return kind === 'removed' ? html`<del>${content}</del>` : html`<div>${content}</div>`;
}
