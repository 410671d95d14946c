import { expect, it } from 'vitest';
import { languagesOf, manualOf, nestedHeadings } from './manuals.ts';

it('a manual is written in what all generators read alike', () => {
  const readme = `# [![Build](https://a.test/b.svg)](https://a.test) Tool

<p align="center">Fast</p>

## Use

Text <b>bold</b> with <https://a.test>. ![Picture](a.png)

- Item
  - Inner

    \`\`\`html
    <p>{{ kept }}</p>
    \`\`\`

# Second title
`;
  expect(manualOf('tool', readme)).toEqual({
    name: 'tool',
    title: 'The manual of tool',
    body: `Fast

## Use

Text bold with <https://a.test>. ${''}

- Item
    - Inner

        \`\`\`html
        <p>{ { kept }}</p>
        \`\`\`

## Second title`,
  });
});

it('the languages of the blocks of code of a manual are found', () => {
  const markdown = '```js\n~~~ts\n```\n\n- ```Bash\n  ls\n  ```\n\n```\nplain\n```\n\n~~~~c++\n~~~\n~~~~';
  expect(languagesOf(markdown)).toEqual(['js', 'bash', 'c++']);
});

it('headings that leave out a level are one deeper than the section that they are in', () => {
  const headings = ['h1|Tool', 'h2|Use', 'h4|Here', 'h4|There', 'h3|More', 'h2|End'];
  expect(nestedHeadings(headings)).toEqual(['h1|Tool', 'h2|Use', 'h3|Here', 'h3|There', 'h3|More', 'h2|End']);
});
