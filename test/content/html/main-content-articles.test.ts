import { describe, expect, it } from 'vitest';
import { contentOf } from './page.ts';

const sentence = (about: string) =>
  `A long sentence about ${about} that says enough to count as a paragraph, and more.`;
const paragraph = (about: string) => `<p>${sentence(about)}</p>`;
const paragraphs = (...about: string[]) => about.map(paragraph).join('');
const ARTICLE = '<meta property="article:published_time" content="2026-01-01">';
const TEXT = paragraphs('one', 'two', 'three', 'four', 'five');

/** The markdown that the filter keeps of an article. */
const left = (html: string) =>
  contentOf(`${ARTICLE}${html}`, {}, { url: 'https://site.test/dir/page' }).markdown;

describe('the introduction of an article', () => {
  it.each([
    ['that is called a teaser', '', `<div class="teaser-text">${paragraph('it')}</div>`],
    ['that is a heading', '<h1>Title</h1>', `<h2 class="article-subtitle">${sentence('it')}</h2>`],
    ['that is a heading below a date', '<h1>Title</h1>', `<p>31 Jan 2026</p><h2>${sentence('it')}</h2>`],
  ])('%s stays', (_, title, introduction) => {
    const page = title
      ? `<main><div class="hero"><div>${title}${introduction}</div></div><div class="text">${TEXT}</div></main>`
      : `<main><div class="article">${introduction}<div class="text">${TEXT}</div></div></main>`;
    expect(left(page)).toContain(sentence('it'));
  });

  it.each([
    [
      'in the head of the page',
      `<div class="hero"><div class="crumbs"><h1>Title</h1></div><div class="stage"><p>By Jane Doe</p><div>${paragraph('it')}</div></div></div>`,
    ],
    ['in a line of its own', `<div class="top"><h1>Title</h1></div><span>${sentence('it')}</span>`],
  ])('%s stays', (_, before) => {
    const page = left(`<div class="page">${before}<article><div class="text">${TEXT}</div></article></div>`);
    expect(page).toContain(sentence('it'));
    expect(page).not.toContain('Jane Doe');
  });

  it.each([
    [
      'a caption',
      '<figure><figcaption>The mayor on the market square beside the old fountain, in the photo of an agency</figcaption></figure>',
    ],
    [
      'a note about cookies',
      `<div>We use cookies to make this site better, and by continuing you agree to all of them. ${sentence('cookies')}</div>`,
    ],
    [
      'a request to subscribe',
      `<div class="newsletter">${paragraph('mails')}<form><input name="mail"></form></div>`,
    ],
  ])('%s in the same place is none', (_, beside) => {
    const page = left(
      `<div class="page"><div class="top"><h1>Title</h1></div><div class="media">${beside}</div><article><div class="text">${TEXT}</div></article></div>`,
    );
    expect(page).toBe(
      left(
        `<div class="page"><div class="top"><h1>Title</h1></div><article><div class="text">${TEXT}</div></article></div>`,
      ),
    );
  });

  it('is not the teaser of another page', () => {
    const teaser = `<div class="teaser">${paragraph('the other')}<a href="/other">Read more</a></div>`;
    const below = `<div><h3><a href="/other">Other</a></h3><p class="teaser">${sentence('the other')}</p></div>`;
    expect(left(`<main><h1>Title</h1>${TEXT}</main>${teaser}${below}`)).not.toContain('the other');
  });
});

describe('other articles with more text than the page', () => {
  const other = (name: string) =>
    `<h3><a href="/${name}">The story of ${name}</a></h3>${paragraphs(name, name, name)}`;
  const names = ['anna', 'bert', 'cleo', 'dora'];

  it.each([
    [
      'in a slider',
      `<div class="content-slider">${names.map((name) => `<div>${other(name)}</div>`).join('')}</div>`,
    ],
    [
      'as articles',
      `<div><div>${names.map((name) => `<article>${other(name)}</article>`).join('')}</div></div>`,
    ],
    [
      'as next stories',
      `<div>${names.map((name) => `<div class="next-story">${other(name)}</div>`).join('')}</div>`,
    ],
  ])('%s are left out', (_, list) => {
    const page = left(`<div id="page"><h1>Title</h1><div class="story">${TEXT}</div>${list}</div>`);
    expect(page).toContain(sentence('three'));
    expect(page).not.toContain('anna');
  });

  it('are found by an outline of very many titles and sections', () => {
    const titles = `${'<h1>Site</h1>'.repeat(130_000)}`;
    expect(left(`<title>Title</title>${titles}<div>${TEXT}</div>`)).toContain(sentence('three'));
    const sections = '<section><h2>A</h2></section>'.repeat(130_000);
    expect(left(`<main><h1>Title</h1>${sections}<section><h2>B</h2>${TEXT}</section></main>`)).toContain(
      sentence('three'),
    );
  });

  it('are the content where the page has hardly any text of its own', () => {
    const list = `<div class="latest">${names.map((name) => `<article>${other(name)}</article>`).join('')}</div>`;
    expect(left(`<div id="page"><h1>Title</h1>${list}</div>`)).toContain(sentence('anna'));
  });

  it('do not make a text about several pages one', () => {
    const sections = names.map((name) => `<section>${other(name)}</section>`).join('');
    expect(left(`<main><h1>Title</h1>${TEXT}<div class="text">${sections}</div></main>`)).toContain(
      sentence('anna'),
    );
  });
});

describe('headings of lists beside an article', () => {
  const page = (heading: string) =>
    left(
      `<main><h1>Title</h1>${TEXT}<div><h3>${heading}</h3><ul><li><a href="/1">Other story</a></li></ul></div></main>`,
    );

  it.each([
    ...[
      'Ähnliche Beiträge',
      'Mehr zum Thema',
      'Das könnte Sie auch interessieren',
      'Meistgelesen',
      '3 Kommentare',
      'Lesen Sie auch:',
    ],
    ...['À lire aussi', 'Sur le même sujet', 'Vous aimerez aussi', 'Commentaires (12)'],
    ...[
      'Le puede interesar',
      'Noticias relacionadas',
      'Lo más visto',
      'Leia também',
      'Mais lidas',
      'Leggi anche',
      'I più letti',
    ],
    ...[
      'Lees ook',
      'Meest gelezen',
      'Czytaj także',
      'Powiązane artykuły',
      'Читайте также',
      'По теме',
      '関連記事',
      '相关阅读',
    ],
  ])('%s: the list is left out', (heading) => {
    expect(page(heading)).not.toContain('Other story');
  });

  it.each(['Kategorien', 'Weitere Themen der Sitzung', 'Antworten'])('%s: text below it stays', (heading) => {
    const page = left(`<main><h1>Title</h1>${TEXT}<h2>${heading}</h2>${paragraph('its subject')}</main>`);
    expect(page).toContain(sentence('its subject'));
  });

  it.each(['Weiterführende Informationen', 'Zutaten', 'Bibliographie', 'Fuentes'])(
    '%s: it stays',
    (heading) => {
      expect(page(heading)).toContain(heading);
    },
  );
});

describe('an article', () => {
  it('is not exchanged for a longer sidebar', () => {
    const widget = (text: string) => `<aside class="widget">${text}</aside>`;
    const sidebar =
      widget('<h3>Links</h3><ul><li><a href="/1">One</a></li></ul>') +
      widget(`<h3>Programme</h3><div>${TEXT.repeat(4)}</div>`);
    const text = paragraphs('own', 'own', 'own', 'own', 'own', 'own');
    const page = left(
      `<div id="container"><div id="content"><section><header><h1>Title</h1></header><article>${text}</article></section></div><section id="sidebar">${sidebar}</section></div>`,
    );
    expect(page).toContain(sentence('own'));
  });

  it.each([
    ['promoted in Drupal', 'node node--type-article node--promoted'],
    ['filed in WordPress', 'post type-post status-publish category-news tag-author'],
  ])('is no boilerplate because it is %s', (_, names) => {
    const page = `<h1>Title</h1><div class="x"><div class="${names}">${paragraph('short')}</div></div><div>${TEXT}${TEXT}</div>`;
    expect(left(page)).toContain(sentence('short'));
  });

  it('keeps text that readers expand', () => {
    const place = `<section><h2>Place</h2><div class="js_readmore"><span>${sentence('the place')}</span></div></section>`;
    expect(left(`<main><h1>Title</h1>${TEXT}${place}</main>`)).toContain(sentence('the place'));
  });

  it('keeps the ingredients of a recipe beside a field for their amount', () => {
    const ingredients = `<form><input name="portions"></form><table><tr><td>125 g</td><td>butter</td></tr><tr><td>2</td><td>eggs</td></tr></table>`;
    const page = left(
      `<main><article class="box"><h1>Cake</h1></article><article class="box"><h2>Ingredients</h2>${ingredients}</article><article class="box"><h2>Preparation</h2>${TEXT}</article></main>`,
    );
    expect(page).toContain('butter');
    expect(page).toContain(sentence('one'));
  });

  it('keeps posts that are embedded as quotes, whose text is a link', () => {
    const post = `<div class="embed"><blockquote class="instagram-media"><div><p><a href="https://social.test/p/1">${sentence('a post')}</a></p></div></blockquote></div>`;
    expect(left(`<main><h1>Title</h1>${TEXT}${post}${TEXT}</main>`)).toContain('about a post');
  });

  it.each(['boxComentarios', 'commentaires', 'leserkommentare'])(
    'leaves out remarks of readers that are named %s',
    (name) => {
      const remarks = paragraphs(...'hijk');
      const page = left(
        `<div><div class="post"><h1>Title</h1>${TEXT}</div><div id="${name}">${remarks}</div></div>`,
      );
      expect(page).toContain(sentence('two'));
      expect(page).not.toContain(sentence('k'));
    },
  );

  it('keeps captions that are its text', () => {
    const slides = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
      .map(
        (name) =>
          `<figure><img src="/${name}.png"><figcaption><h2>${name}</h2>${paragraph(name)}<a href="https://shop.test/${name}">${name} in the shop</a></figcaption></figure>`,
      )
      .join('');
    const page = `<article><h1>Title</h1><div class="text">${paragraph('all')}</div><div class="slides">${slides}</div></article>`;
    expect(left(page)).toContain(sentence('h'));
  });
});
