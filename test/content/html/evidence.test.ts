import { describe, expect, it } from 'vitest';
import { findBoilerplate } from '../../../src/content/html/main-content/index.ts';
import { parseHtml } from '../../../src/content/html/parse/parse.ts';
import { contentOf } from './page.ts';

const sentence = (about: string) =>
  `A long sentence about ${about} that says enough to count as a paragraph, and more.`;
const paragraphs = (...about: string[]) => about.map((one) => `<p>${sentence(one)}</p>`).join('');

/** The blocks that the filter keeps of a page, one per line. */
const left = (html: string, url = 'https://site.test/dir/page') =>
  contentOf(html, {}, { url }).markdown.split(/\n+/);

/** The signs with which the first element of a name was dropped, as words. */
function signsOf(html: string, name: string): string[] {
  const decisions = findBoilerplate(parseHtml(html), { engine: 'http' });
  const [, signs] = [...decisions.entries()].find(([element]) => element.name === name) ?? [];
  return (signs ?? []).map(({ kind, detail }) => `${kind}: ${detail}`);
}

const text = paragraphs('one', 'two', 'three');
const more = paragraphs('four', 'five', 'six');

describe('running text', () => {
  it.each(['share', 'comments', 'cookie', 'related', 'sidebar', 'promo', 'newsletter', 'banner'])(
    'stays in the middle of the text although its class is %s',
    (name) => {
      const html = `<main><h1>Title</h1>${text}<div class="${name}">${paragraphs('it')}</div>${more}</main>`;
      expect(left(html)).toContain(sentence('it'));
    },
  );

  it.each(["What's new", 'Comments', 'Related work', 'Contents', 'Contributors', 'Events', 'Tags'])(
    'stays with its heading below %s',
    (title) => {
      const html = `<main><h1>Title</h1>${text}<h2>${title}</h2>${paragraphs('it')}<h2>More</h2>${more}</main>`;
      expect(left(html)).toEqual(expect.arrayContaining([`## ${title}`, sentence('it')]));
    },
  );

  it.each(['Contents', 'Tags', 'Archives'])(
    'stays in short lines below %s, whose section is not links',
    (title) => {
      const lines = ['Lens: of glass', 'Sensor: of metal', 'Mount: of plastic'];
      const facts = (names: string[]) => `<div>${names.map((one) => `<div>${one}</div>`).join('')}</div>`;
      const html = `<main><h1>Title</h1>${text}<h3>${title}</h3>${facts(lines)}<h3>More</h3>${more}</main>`;
      expect(left(html)).toEqual(expect.arrayContaining([`### ${title}`, ...lines]));
      const links = lines.map((one) => `<a href="#it">${one}</a>`);
      expect(left(html.replace(facts(lines), facts(links))).join()).not.toContain('Sensor');
    },
  );

  it('stays among paragraphs that are no p, whatever the heading above it', () => {
    const para = (one: string) => `<div class="para">${sentence(one)}</div>`;
    const html = `<main><h1>Title</h1>${text}<h2>Related work</h2>${para('it')}<div class="sidebar">${para('box')}</div>${para('end')}</main>`;
    expect(left(html)).toEqual(expect.arrayContaining(['## Related work', sentence('it'), sentence('box')]));
  });

  it('stays as the last section of an outline, whatever its heading is', () => {
    const section = (title: string) =>
      `<section><h2>${title}</h2>${paragraphs(`${title} 1`, `${title} 2`)}</section>`;
    const html = `<main><h1>Title</h1>${['First', 'Second', 'Comments'].map(section).join('')}</main>`;
    expect(left(html)).toContain(sentence('Comments 2'));
  });

  it('is dropped after the text if a name and its place tell that it is something else', () => {
    const html = `<main><h1>Title</h1>${text}${more}<div class="related">${paragraphs('other')}</div></main>`;
    expect(left(html)).not.toContain(sentence('other'));
    expect(signsOf(html, 'div')).toEqual(['name: related', 'place: after the running text']);
  });

  it('stays as the last paragraph although its class is that of boilerplate and its tag is no paragraph', () => {
    const lines = ['one', 'two', 'three'].map((one) => `<div class="para">${sentence(one)}</div>`).join('');
    const html = `<main><h1>Title</h1>${lines}<div class="related">${sentence('it')}</div></main>`;
    expect(left(html)).toContain(sentence('it'));
  });

  it('stays as the last section of an outline without elements around its sections', () => {
    const section = (title: string, name: string) => `<h2>${title}</h2><div class="${name}">${text}</div>`;
    const html = `<main><h1>Title</h1>${section('First', 'a')}${section('Second', 'b')}
      <h2>Third</h2><div class="sidebar">${paragraphs('it')}</div></main>`;
    expect(left(html)).toContain(sentence('it'));
  });

  it('stays inside of the last section of an outline, of which it is all text', () => {
    const section = (title: string, name: string) =>
      `<section><h2>${title}</h2><div class="${name}">${paragraphs(title)}</div></section>`;
    const html = `<main><h1>Title</h1>${section('First', 'a')}${section('Last', 'social')}</main>`;
    expect(left(html)).toContain(sentence('Last'));
  });

  it('stays in an element that readers expand, whatever its class', () => {
    const html = `<main><h1>Title</h1><details class="toggle"><summary>More</summary><p>A short text.</p></details>${text}</main>`;
    expect(left(html)).toContain('A short text.');
  });

  it.each([
    ['a note', '<aside class="admonition"><p>Mind the gap.</p></aside>', 'Mind the gap.'],
    [
      'a text without links among paragraphs',
      '<aside><p>Tickets cost ten shillings.</p></aside>',
      'Tickets cost ten shillings.',
    ],
    [
      'the text of a box to tick',
      '<ul><li><input type="checkbox"><label>One onion</label></li></ul>',
      'One onion',
    ],
    [
      'one of several of the same form',
      '<div class="plan">A: 1</div><div class="plan popular">B: 2</div><div class="plan">C: 3</div>',
      'B: 2',
    ],
    ['a caption with a number', '<div class="caption">Figure 1: The boat</div>', 'Figure 1: The boat'],
    [
      'a section with an id made of its heading',
      '<section id="account"><h3>Account</h3><p>Each has one.</p></section>',
      'Each has one.',
    ],
    [
      'a link with a tooltip',
      '<p>See</p><ul><li><a class="tooltip" href="/dup">dup()</a>: copies</li></ul>',
      'dup()',
    ],
    [
      'a question with its answer',
      '<button class="btn">Can I change it later?</button><div>Yes.</div>',
      'Can I change it later?',
    ],
  ])('stays as %s', (_, html, kept) => {
    expect(left(`<main><h1>Title</h1>${text}${html}${more}</main>`).join()).toContain(kept);
  });

  it('stays off screen where most of the text is', () => {
    const html = `<main><h1>Title</h1>${text}${more.replaceAll('<p>', '<p class="nitro-offscreen">')}</main>`;
    expect(left(html)).toContain(sentence('six'));
  });

  it('keeps a heading that is a link in an element of its own', () => {
    const title = (one: string) =>
      `<div class="titlepage"><div><h3><a name="${one}"></a><a href="page.html#${one}">${one}</a></h3></div></div>`;
    const sections = ['First', 'Second'].map(
      (one) => `<div class="section">${title(one)}${paragraphs(one, `${one} 2`)}</div>`,
    );
    expect(left(`<div><h2>Title</h2>${text}${sections.join('')}</div>`).join()).toContain('[Second]');
  });

  it('keeps its heading where it stays itself', () => {
    const html = `<main><h1>Title</h1>${text}<h2>Related work</h2><div>${paragraphs('it')}</div><h2>More</h2>${more}</main>`;
    expect(left(html)).toEqual(expect.arrayContaining(['## Related work', sentence('it')]));
  });

  it('keeps the headers of its sections, words on links, and who is quoted', () => {
    const section = `<section><header><h2>Diet</h2></header>${text}</section>`;
    expect(left(`<div>${section}${section.replace('Diet', 'Range')}${more}</div>`)).toContain('## Diet');
    const line = `${sentence('it')} The plans are open <a href="/s">source</a> and free.`;
    expect(left(`<main><h1>Title</h1>${text}<p>${line}</p></main>`).join()).toContain('open [source]');
    const quote = `<blockquote><p>${sentence('it')}</p><footer>by Jane Doe</footer></blockquote>`;
    expect(left(`<main><h1>Title</h1>${text}${quote}${more}</main>`).join()).toContain('Jane Doe');
  });

  it('stays below another signature, and is dropped as a copy', () => {
    const entry = (name: string) =>
      `<div><div><code>${name}</code></div><div>${paragraphs('it')}</div></div>`;
    const page = (...names: string[]) =>
      `<main><h1>Title</h1>${text}${names.map(entry).join('')}${more}</main>`;
    const count = (html: string) => left(html).filter((line) => line === sentence('it')).length;
    expect(count(page('open()', 'close()'))).toBe(2);
    expect(count(page('open()', 'open()'))).toBe(1);
  });

  it('keeps every word of a line, although the one before it had the same', () => {
    const line = (type: string) => `<div><span>defaultDescription</span><span>?: ${type}</span></div>`;
    const html = `<main><h1>Title</h1><div>${line('string')}${line('number')}</div></main>`;
    expect(
      contentOf(html, {}, { url: 'https://site.test/' }).markdown.match(/defaultDescription/g),
    ).toHaveLength(2);
  });

  it('stays as a list of facts in short lines', () => {
    const facts = [
      'Weight: two kilograms and a half',
      'Width: thirty inches without feet',
      'Height: ten inches with its feet',
      'Colour: dark green or light grey',
    ];
    const list = (name: string) =>
      `<div class="${name}">${facts.map((one) => `<div>${one}</div>`).join('')}</div>`;
    const html = `<main><h1>Title</h1>${text}${list('widget')}${more}</main>`;
    expect(left(html)).toEqual(expect.arrayContaining(facts));
  });

  it('needs three signs if it is most of the page', () => {
    const long = paragraphs(...Array.from({ length: 6 }, (_, nth) => `part ${nth}`));
    const page = (beside: string) => `<div>${text}</div><div class="comments">${long}${beside}</div>`;
    expect(left(page(''))).toContain(sentence('part 3'));
    expect(left(page('<i>3 hours ago</i> <a href="#r">Reply</a>'))).not.toContain(sentence('part 3'));
  });
});

describe('headings', () => {
  it('are no boilerplate by their class', () => {
    const html = `<main><h1>Title</h1>${text}<h2 class="anchorTargetStickyNavbar_x">Usage</h2>${more}</main>`;
    expect(left(html)).toContain('## Usage');
  });

  it('with the title of the page are no boilerplate, whatever they say', () => {
    const html = `<title>What's New</title><div><div><h1>What's New</h1>${text}</div></div>`;
    expect(left(html)).toContain(sentence('two'));
  });
});

describe('names inside of a passage', () => {
  it.each([
    [
      'a paragraph',
      `<p>The <span class="banner">red flag</span> is shown. ${sentence('it')}</p>`,
      'red flag',
    ],
    ['code', '<pre><code><span class="token comment"># red flag</span>\nrun</code></pre>', 'red flag'],
    [
      'a cell',
      '<table><tr><th>Name<th>Use<tr><td><b class="cookie">red flag</b><td>It is shown</table>',
      'red flag',
    ],
  ])('say nothing in %s', (_name, html, kept) => {
    expect(contentOf(`<main><h1>Title</h1>${text}${html}${more}</main>`).markdown).toContain(kept);
  });
});

describe('blocks beside the content root', () => {
  const long = paragraphs(...Array.from({ length: 12 }, (_, nth) => `part ${nth}`));

  it('are kept before and after the largest one', () => {
    const html = `<main><h1>Title</h1><div class="lead">${paragraphs('lead')}</div><div class="text">${long}</div><div class="notes">${paragraphs('note')}</div></main>`;
    expect(left(html)).toEqual(expect.arrayContaining([sentence('lead'), sentence('note')]));
  });

  it('are kept as sections of the same kind', () => {
    const html = `<div><div class="section"><h2>Use</h2>${long}</div><div class="section"><h2>Limits</h2>${paragraphs('limit')}</div></div>`;
    expect(left(html)).toEqual(expect.arrayContaining(['## Limits', sentence('limit')]));
  });

  it('are kept as the introduction between the title and the text', () => {
    const sections = ['First', 'Second'].map((one) => `<section><h2>${one}</h2>${more.repeat(2)}</section>`);
    const page = (inside: string) =>
      `<div><div><h1>Title</h1></div><div class="lead">${inside}</div><div class="body">${sections.join('')}</div></div>`;
    expect(left(page(sentence('it')))).toContain(sentence('it'));
  });

  it('are kept although teasers stand among them', () => {
    const teasers = [1, 2]
      .map(
        (nth) => `<h3><a href="/${nth}">Story ${nth}</a></h3><a href="/${nth}"><img src="/${nth}.png"></a>`,
      )
      .join('');
    const first = `<div class="supplemental">${text}<aside>${teasers}</aside></div>`;
    const html = `<main><article><h1>Title</h1><div itemprop="articleBody">${more.repeat(5)}</div>${first}</article></main>`;
    expect(left(html)).toContain(sentence('two'));
    expect(left(html).join()).not.toContain('Story 1');
  });

  it('are dropped if they are teasers', () => {
    const card = (name: string) =>
      `<li><h3><a href="/${name}">About ${name}</a></h3>${paragraphs(name)}</li>`;
    const html = `<main><h1>Title</h1><div>${long}</div><div class="x"><ul>${['a', 'b', 'c'].map(card).join('')}</ul></div></main>`;
    expect(left(html)).not.toContain(sentence('b'));
  });
});

describe('links around a page of a manual', () => {
  it.each([
    ['rel', '<a rel="next" href="/b">Strings</a> <a rel="prev" href="/a">Numbers</a>'],
    [
      'words',
      'Next: <a href="/b">Strings</a>, Previous: <a href="/a">Prev</a> <a href="/">Up</a> <a href="/n">Next</a>',
    ],
  ])('are recognised by %s', (_name, links) => {
    const html = `<body><div class="x">${links}</div><div class="y"><h1>Title</h1>${text}${more}</div>`;
    expect(contentOf(html).markdown).not.toMatch(/Strings|Prev/);
  });
});

describe('a list of links at the end of a text', () => {
  const facts = ['port', 'sea', 'quay'].map(
    (place) => `<li>The tide turns at the ${place} and nobody sees it</li>`,
  );
  const section = (title: string) => `<h2>${title}</h2><ul>${facts.join('')}</ul>`;
  const page = (title: string, ...before: string[]) =>
    left(`<div><h1>Tide</h1>${before.map(section).join('')}<h2>${title}</h2><ul><li><a href="/a">Tables of the year</a></li>
      <li><a href="/b">Charts of the coast</a></li></ul></div>`);

  it('stays as the last of several sections', () => {
    const kept = ['## Resources', '- [Charts of the coast](https://site.test/b)'];
    expect(page('Resources', 'Install', 'Use', 'Limits')).toEqual(expect.arrayContaining(kept));
  });

  it('is dropped after fewer sections, or below a heading of links on any page', () => {
    expect(page('Resources', 'Install').join()).not.toContain('Charts');
    expect(page('Related articles', 'Install', 'Use', 'Limits').join()).not.toContain('Charts');
  });
});
