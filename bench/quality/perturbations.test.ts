import serialize from 'dom-serializer';
import { expect, it } from 'vitest';
import { parseHtml } from '../../src/content/html/parse/parse.ts';
import { seeded } from '../../test/site/random.ts';
import { readPageText } from './page-text.ts';
import { type Change, PERTURBATIONS } from './perturbations.ts';
import { wordsOf } from './words.ts';

const PROSE = Array.from({ length: 30 }, (_, place) => `word${place}`).join(' ');

/** Makes a change to a page. @returns the body after it, and what the change says of itself */
function perturb(name: string, html: string, markdown: string, seed = 1): { html: string; change?: Change } {
  const tree = parseHtml(html);
  const change = PERTURBATIONS[name]!({ tree, markdown, random: seeded(seed) });
  return { html: serialize(tree, { encodeEntities: 'utf8' }), ...(change && { change }) };
}

it('the elements whose text is in the markdown are found, with how much of it is linked', () => {
  const page = parseHtml(
    `<nav>one two three four five</nav><p>${PROSE} <a href="/">linked words here now</a></p>`,
  );
  const text = readPageText(page, wordsOf(`${PROSE} linked words here now`));
  const [nav, paragraph] = ['nav', 'p'].map(
    (name) => text.elements.find((element) => element.name === name)!,
  );
  expect(text.of(nav!)).toEqual({ words: 5, keptShare: 0, linkedShare: 0 });
  expect(text.of(paragraph!)).toEqual({ words: 34, keptShare: 1, linkedShare: 4 / 34 });
});

it('a perturbation is the same for the same seed, and another one for another', () => {
  const [first, again, other] = [1, 1, 2].map(
    (seed) => perturb('another host and path', '', '', seed).change,
  );
  expect(first).toEqual(again);
  expect(first).not.toEqual(other);
});

it('a perturbation removes the name of the generator', () => {
  const { html } = perturb('no generator', '<meta name="Generator" content="Hugo"><meta name="author">', '');
  expect(html).not.toContain('Hugo');
  expect(html).toContain('author');
  expect(perturb('no generator', '<p>None</p>', '').change).toBeUndefined();
});

it('a perturbation renames classes and ids wherever the page names them', () => {
  const { html } = perturb(
    'other class names and ids',
    `<style>.note, #top { color: red }</style><p class="note wide" id="top">Text</p><a href="#top">Up</a>
    <script>move("top")</script><script type="application/ld+json">{"top": 1}</script>`,
    '',
  );
  const [, first, , id] = /class="(\w+) (\w+)" id="(\w+)"/.exec(html)!;
  expect(html).not.toContain('note');
  expect(html).toContain(`.${first}, #${id} {`);
  expect(html).toContain(`href="#${id}"`);
  expect(html).toContain(`move("${id}")`);
  expect(html).toContain('{"top": 1}');
});

it('a perturbation gives names of boilerplate to running text that is kept, and to nothing else', () => {
  const { html } = perturb(
    'names of boilerplate on running text',
    `<p class="menu">Home, news and more</p><p class="text" id="start">${PROSE}</p><a href="#start">Start</a>`,
    PROSE,
  );
  expect(html).toContain('<p class="menu">');
  expect(html).not.toContain('class="text"');
  expect(html).toMatch(/<p class="[a-z]+" id="start">/);
});

it('a perturbation adds and removes a wrapper around the kept text', () => {
  const page = `<div id="nav">Home</div><div id="text"><p>${PROSE}</p><p>${PROSE}</p></div>`;
  expect(perturb('a wrapper more', page, PROSE).html).toContain('<div id="text"><div><p>');
  expect(perturb('a wrapper less', page, PROSE).html).toContain('</div><p>');
});

it('a perturbation makes divs of main and article', () => {
  const { html } = perturb('main and article as div', '<main id="a"><article>Text</article></main>', '');
  expect(html).toContain('<div id="a"><div>Text</div></div>');
});

it('a perturbation changes the text of a kept heading and not its anchor', () => {
  const { html, change } = perturb(
    'a heading of boilerplate',
    '<h2>Menu</h2><h2>Old <b>name</b><a href="#old"></a></h2>',
    '## Old name\n',
  );
  expect(html).toContain('<h2>Menu</h2>');
  expect(html).toContain('<a href="#old"></a></h2>');
  expect(html).not.toContain('Old');
  expect(change!.removed).toEqual(['old', 'name']);
  expect(wordsOf(html.replace(/<[^>]*>/g, ' ')).slice(1)).toEqual(change!.added);
});

it('a perturbation changes the title of a page in its head too', () => {
  const { html } = perturb(
    'a title of boilerplate',
    '<title>Old name</title><meta property="og:title" content="Old name"><h1>Old name</h1>',
    '# Old name\n',
  );
  expect(html).not.toContain('Old name');
  expect(perturb('a title of boilerplate', '<h1>Dropped</h1>', 'Text').change).toBeUndefined();
});

it('a perturbation doubles the paragraphs that are kept', () => {
  const { html, change } = perturb('text of double length', `<p>Dropped</p><p>${PROSE}</p>`, PROSE);
  expect(html).toContain('<p>Dropped</p>');
  expect(html).toContain('word29 word29 word28');
  expect(change!.added).toHaveLength(30);
});
