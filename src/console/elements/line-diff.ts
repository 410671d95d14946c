import { useSignal } from '@preact/signals';
import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';
import { Markdown } from './markdown.ts';
import { Tabs } from './tabs.ts';
import { compareWords, type Piece } from './word-diff.ts';

/** Lines that are shown before the user asks for more. */
const PART = 200;
/** The most characters of a line that are shown. */
const MAX_CHARACTERS = 20_000;

/** A line of a diff, and what became of it. `gap` stands between two places of the page. */
interface DiffLine {
  kind: 'added' | 'removed' | 'kept' | 'gap';
  text: string;
  /** The words of a line that took the place of another one, or made room for it. */
  pieces?: Piece[];
}

const KINDS: Record<string, DiffLine['kind']> = { '+': 'added', '-': 'removed', '@': 'gap' };
const SIGNS = { added: '+', removed: '−', kept: ' ', gap: '' };

/** The lines of a unified diff without its two lines of heading. */
const linesOf = (diff: string): DiffLine[] =>
  diff
    .split('\n')
    .slice(2)
    .map((line) => ({ kind: KINDS[line[0] ?? ''] ?? 'kept', text: line.slice(1, MAX_CHARACTERS) }));

/** What a unified diff says: with the words that differ, rendered as the page, and line by line. */
export const LineDiff = ({ text, label }: { text: string; label: string }) => {
  const lines = linesOf(text);
  const tabs = [
    { name: 'Words', content: () => html`<${Lines} lines=${withWords(lines)} label=${label} />` },
    { name: 'Rendered', content: () => html`<${Rendered} lines=${lines} label=${label} />` },
    { name: 'Raw', content: () => html`<${Lines} lines=${lines} label=${label} />` },
  ];
  return html`<${Tabs} tabs=${tabs} label=${`Forms of ${label}`} />`;
};

/** A diff line by line. What was added and removed is said by a sign, by a colour, and to screen readers. */
function Lines({ lines, label }: { lines: DiffLine[]; label: string }) {
  const shown = useSignal(PART);
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

/** Compares lines that were removed with those that were added at the same place, in their order. */
function withWords(lines: DiffLine[]): DiffLine[] {
  const found = lines.map((line) => ({ ...line }));
  for (let start = 0; start < found.length; ) {
    const removed = runOf(found, start, 'removed');
    const added = runOf(found, start + removed.length, 'added');
    for (const [index, line] of removed.entries()) {
      const other = added[index];
      const words = other && compareWords(line.text, other.text);
      if (!words) continue;
      line.pieces = words.before;
      other.pieces = words.after;
    }
    start += Math.max(1, removed.length + added.length);
  }
  return found;
}

/** The lines of a kind that follow each other from a place on. */
function runOf(lines: DiffLine[], start: number, kind: DiffLine['kind']): DiffLine[] {
  let end = start;
  while (lines[end]?.kind === kind) end++;
  return lines.slice(start, end);
}

/** Wraps what was added or removed. */
function mark(kind: DiffLine['kind'], content: ComponentChildren) {
  if (kind === 'added') return html`<ins>${content}</ins>`;
  return kind === 'removed' ? html`<del>${content}</del>` : html`<div>${content}</div>`;
}

function Line({ kind, text, pieces }: DiffLine) {
  if (kind === 'gap') return html`<div class="gap" aria-hidden="true">⋯</div>`;
  const words = pieces?.map((piece) => (piece.isKept ? piece.text : html`<mark>${piece.text}</mark>`));
  return mark(
    kind,
    html`<span class="sign" aria-hidden="true">${SIGNS[kind]}</span><span class="hidden">${kind === 'kept' ? '' : `${kind}: `}</span><span dir="auto">${words ?? text}</span>`,
  );
}

/** The markdown of a diff as a page, place by place. */
function Rendered({ lines, label }: { lines: DiffLine[]; label: string }) {
  const blocks: { kind: DiffLine['kind']; texts: string[] }[] = [];
  for (const { kind, text } of lines) {
    const last = blocks.at(-1);
    if (last?.kind === kind) last.texts.push(text);
    else blocks.push({ kind, texts: [text] });
  }
  return html`
    <div class="diff rendered" tabindex="0" role="region" aria-label=${label}>
      ${blocks.map(({ kind, texts }) =>
        kind === 'gap'
          ? html`<div class="gap" aria-hidden="true">⋯</div>`
          : mark(
              kind,
              html`<span class="hidden">${kind === 'kept' ? '' : `${kind}: `}</span><${Markdown} text=${texts.join('\n')} />`,
            ),
      )}
    </div>`;
}
