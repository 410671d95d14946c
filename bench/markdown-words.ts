import { parseArgs } from 'node:util';
import { compareWords } from '../test/support/markdown-words.ts';
import { MARKDOWN_SETS, readExamples } from './quality/markdown.ts';

const HELP = `Converts the pages of a quality kit with Winnow's converter and with Turndown, and compares the words of both results and
their order. Prints the first difference of each page, and how many pages have the same words.

Usage: node bench/markdown-words.ts --kit DIR [OPTIONS]

  --kit DIR    directory of the kit
  --set SET    spec (default), pages or pages-mixed
  --help       this text
`;

const { values } = parseArgs({
  options: { kit: { type: 'string' }, set: { type: 'string', default: 'spec' }, help: { type: 'boolean' } },
});
if (values.help) process.stdout.write(HELP);
else await main(values.kit, values.set);

async function main(kit: string | undefined, name: string): Promise<void> {
  const set = MARKDOWN_SETS.find((one) => one === name);
  if (!kit || !set) throw new Error(`Usage: --kit DIR and --set with one of ${MARKDOWN_SETS.join(', ')}`);
  const examples = await readExamples(kit, set);
  let same = 0;
  for (const { id, html } of examples) {
    const difference = compareWords(html);
    if (!difference) same++;
    else
      console.log(
        `${id}\n  Winnow:   ${difference.winnow.join(' ')}\n  Turndown: ${difference.turndown.join(' ')}`,
      );
  }
  console.log(`${same} of ${examples.length} pages have the same words in the same order.`);
}
