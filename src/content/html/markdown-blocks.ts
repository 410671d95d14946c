/**
 * Splits markdown into its blocks at blank lines. A fenced code block stays whole. Joined with blank lines,
 * the blocks are the text again.
 */
export function splitMarkdownBlocks(markdown: string): string[] {
  const blocks: string[] = [];
  let lines: string[] = [];
  let fence: string | undefined;
  const flush = () => {
    if (lines.length > 0) blocks.push(lines.join('\n'));
    lines = [];
  };
  for (const line of markdown.split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    if (line.trim() === '' && fence === undefined) flush();
    else lines.push(line);
  }
  flush();
  return blocks;
}
