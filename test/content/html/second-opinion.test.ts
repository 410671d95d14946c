import { expect, it } from 'vitest';
import { contentOf } from './page.ts';

const sentence = (about: string) =>
  `A long sentence about ${about} that says enough to count as a paragraph, and more.`;
const paragraphs = (count: number, about: string) =>
  Array.from({ length: count }, (_, nth) => `<p>${sentence(`${about} ${nth}`)}</p>`).join('');

const cards = Array.from(
  { length: 20 },
  (_, nth) => `<div><a href="/${nth}">Thing number ${nth}</a></div>`,
).join('');

/** The page of a category, whose main element has its products and little text. */
const page = (beside: string) =>
  `<body class="template-collection"><main><h1>Things</h1>${cards}${paragraphs(3, 'little')}</main>${beside}`;

it('most of the text of a page comes back, although it is outside of the main element', () => {
  const content = contentOf(page(`<div class="sidebar">${paragraphs(9, 'much')}</div>`));
  expect(content.markdown).toContain(sentence('much 8'));
  expect(content.markdown).toContain(sentence('little 2'));
  expect(content.isDisputed).toBe(true);
});

it.each([
  ['a footer', `<footer>${paragraphs(9, 'much')}</footer>`],
  ['another article', `<article class="sidebar">${paragraphs(9, 'much')}</article>`],
  [
    'a notice about cookies',
    `<div class="sidebar">${paragraphs(9, 'much')}<p>We use cookies to improve this website.</p></div>`,
  ],
  ['a text that a class hides', `<div class="sidebar hide">${paragraphs(9, 'much')}</div>`],
  ['the smaller part of the text', `<div class="sidebar">${paragraphs(2, 'much')}</div>`],
  [
    'a list of teasers',
    `<div class="sidebar">${[0, 1, 2].map((nth) => `<a href="/${nth}"><img src="/${nth}.png"></a>${paragraphs(3, `much ${nth}`)}`).join('')}</div>`,
  ],
])('%s beside the main element stays outside', (_, beside) => {
  const content = contentOf(page(beside));
  expect(content.markdown).not.toContain('much');
  expect(content.isDisputed).toBe(false);
});

it('small blocks come back as well, if most of the text was in them', () => {
  const blocks = Array.from(
    { length: 24 },
    (_, nth) => `<div class="sidebar">${paragraphs(1, `much ${nth}`)}</div>`,
  );
  const content = contentOf(page(blocks.join('')));
  expect(content.markdown).toContain(sentence('much 0 0'));
  expect(content.isDisputed).toBe(true);
});

it('the share of the text that was kept does not count what readers do not see', () => {
  const text = '<p>1234567890</p>';
  const nav = '<nav><a href="/">1234567890</a></nav>';
  const shareOf = (html: string, onlyMainContent = true) => contentOf(html, { onlyMainContent }).share;
  expect(shareOf(`<body><main>${text}</main>${nav}</body>`)).toBe(0.5);
  expect(shareOf(`<body><main>${text}</main>${nav}</body>`, false)).toBe(1);
  expect(shareOf('<body><img src="a.png"></body>')).toBe(1);
  const long = `<body><main>${paragraphs(9, 'it')}</main>${nav}`;
  const hidden = `<script>1</script><div style="display:none">${paragraphs(1, 'hidden')}</div>`;
  expect(shareOf(long + hidden)).toBe(shareOf(long));
  const inDropped = (markup: string) => `${long}<footer>Legal${markup}</footer>`;
  expect(shareOf(inDropped('<p hidden>More than is seen of it</p>'))).toBe(shareOf(inDropped('')));
});

it('a text that is not HTML has no share that was kept', () => {
  expect(contentOf('{}', {}, { kind: 'json' }).share).toBeUndefined();
});
