import { describe, expect, it } from 'vitest';
import { contentOf } from './page.ts';

const sentence = (about: string) =>
  `A long sentence about ${about} that says enough to count as a paragraph, and more.`;
const paragraph = (about: string) => `<p>${sentence(about)}</p>`;
const ARTICLE = '<meta property="article:published_time" content="2026-01-01">';

const markdownOf = (html: string) => contentOf(html).markdown;
const article = (inside: string) =>
  markdownOf(
    `${ARTICLE}<main><h1>Title</h1>${paragraph('a')}${paragraph('b')}${inside}${paragraph('c')}</main>`,
  );

describe('a part of a text', () => {
  it.each([
    ['short code in a box', '<div class="widget"><pre>npm install it</pre></div>', 'npm install it'],
    [
      'a short table in a box',
      '<div class="widget"><table><tr><th>Port<th>Use<tr><td>80<td>Web</table></div>',
      '| 80 | Web |',
    ],
    [
      'short definitions in a box',
      '<div class="widget"><dl><dt>Port</dt><dd>A number</dd></dl></div>',
      'A number',
    ],
    [
      'a URL that a text names',
      '<div><a href="https://a.test/b">https://a.test/b</a></div>',
      'https://a.test/b',
    ],
    ['a warning that is announced', '<div role="alert">Save your work before this.</div>', 'Save your work'],
    [
      'the footer of a section',
      '<section><h2>Part</h2><p>So.</p><footer>Source: the archive</footer></section>',
      'Source: the archive',
    ],
    [
      'a sentence that begins as a call to read on',
      `<p>Read on to see why the harbour was moved twice, and what is left of it now that there is no more traffic.</p>`,
      'Read on to see why',
    ],
    [
      'a sentence that begins as a credit',
      '<p>Reporting by radio was the only way to tell the mainland.</p>',
      'Reporting by radio',
    ],
    [
      'a sentence that begins as a credit with a name',
      '<p>Writing by Hand is a skill. It is taught early on.</p>',
      'Writing by Hand',
    ],
    [
      'code in elements with the names of hidden ones',
      '<pre><code>let <span class="none">a</span> = <span class="hidden">b</span> + <span class="boring">c</span>;</code></pre>',
      'let a = b + c;',
    ],
  ])('is %s', (_name, html, kept) => {
    expect(article(html)).toContain(kept);
  });

  it('is a dialog that is open, but not one that is closed', () => {
    const dialog = (attributes: string) =>
      `<body><dialog ${attributes}><h1>Title</h1>${paragraph('terms')}${paragraph('more')}</dialog><p>Short.</p>`;
    expect(markdownOf(dialog('open'))).toContain(sentence('terms'));
    expect(markdownOf(dialog(''))).not.toContain(sentence('terms'));
  });

  it('is a modal dialog that has all of the text', () => {
    const html = `<body><div role="dialog" aria-modal="true"><h1>Title</h1>${paragraph('terms')}</div><p>x</p>`;
    expect(markdownOf(html)).toContain(sentence('terms'));
  });

  it('is no dialog beside the text', () => {
    const html = `<dialog open>${paragraph('cookies')}</dialog>`;
    const page = `<body><main><h1>Title</h1>${['a', 'b', 'c', 'd'].map(paragraph).join('')}</main>${html}`;
    expect(markdownOf(page)).not.toContain(sentence('cookies'));
  });
});

describe('several articles beside each other', () => {
  const one = (about: string, heading = `<h2>About ${about}</h2>`) =>
    `<article>${heading}${paragraph(`${about} first`)}${paragraph(`${about} second`)}${['x', 'y', 'z'].map((one) => paragraph(`${about} ${one}`)).join('')}</article>`;
  const page = (...articles: string[]) =>
    markdownOf(`${ARTICLE}<title>Title</title><body><h1>Title</h1><div>${articles.join('')}</div>`);

  it('are parts of the page if its title is outside of them', () => {
    const long = ['b', 'c', 'd', 'e', 'f'].map(paragraph).join('');
    for (const markdown of [
      page(one('a'), one('b')),
      page(one('a').replace('</h2>', `</h2>${long}`), one('b')),
    ])
      for (const about of ['a', 'b']) expect(markdown).toContain(sentence(`${about} second`));
  });

  it('are other texts if the first has the title of the page', () => {
    const next = one('next', '<h1>The next story</h1>');
    const endless = `${ARTICLE}<title>Title</title><body><div>${one('a', '<h1>Title</h1>')}${next}</div>`;
    expect(markdownOf(endless)).toContain(sentence('a second'));
    expect(markdownOf(endless)).not.toContain('next second');
  });
});
