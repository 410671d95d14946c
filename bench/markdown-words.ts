import { compareWords } from '../test/support/documents/markdown-words.ts';
import { choice, directory, readCommandLine, required } from './command-line.ts';
import { MARKDOWN_SETS, readExamples } from './quality/markdown.ts';

const HELP = `Converts the pages of a quality kit with Winnow's converter and with Turndown, and compares the words of both results and
their order. Prints the first difference of each page, and how many pages have the same words. Takes seconds
for the set spec and some minutes for the others.

Usage: node bench/markdown-words.ts --kit DIR [OPTIONS]

  --kit DIR    directory of the kit
  --set SET    spec (default), pages or pages-mixed
  --help       print this text
`;

const options = readCommandLine(HELP, { kit: required(directory()), set: choice(MARKDOWN_SETS, 'spec') });
await main(options);

async function main({ kit, set }: typeof options): Promise<void> {
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
