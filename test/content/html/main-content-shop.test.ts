import { describe, expect, it } from 'vitest';
import { countWork } from './main-content-work.ts';
import { contentOf } from './page.ts';

const sentence = (about: string) =>
  `A long sentence about ${about} that says enough to count as a paragraph, and more.`;
const paragraph = (about: string) => `<p>${sentence(about)}</p>`;
const paragraphs = (...about: string[]) => about.map(paragraph).join('');

/** The blocks that the filter keeps of a page, one per line. */
const left = (html: string) => contentOf(html).markdown.split(/\n+/);
/** What pages declare to be. */
const PRODUCT_HEAD = '<meta property="og:type" content="product">';
const LISTING_HEAD = '<meta property="og:type" content="product.group">';

const productPage = (inside: string) =>
  left(`${PRODUCT_HEAD}<main><h1>Thing</h1>${paragraph('it')}${inside}</main>`);
const PRODUCT = ['# Thing', sentence('it')];

const collectionPage = (inside: string) =>
  left(`${LISTING_HEAD}<main><h1>Things</h1>${paragraph('things')}${inside}</main>`);
const COLLECTION = ['# Things', sentence('things')];

const servicePage = (inside: string) =>
  left(
    `<main><h1>We</h1><section><h2>What we do</h2><span>For you and for all who come to us</span></section>${inside}</main>`,
  );
const SERVICE = ['# We', '## What we do', 'For you and for all who come to us'];

describe('the page type of shop software', () => {
  const links = Array.from(
    { length: 20 },
    (_, index) => `<div><a href="/${index}">Thing number ${index}</a></div>`,
  ).join('');

  it.each([
    ['WooCommerce', '<body class="single single-product postid-12">'],
    ['Shopify', '<body class="template-product">'],
    ['Magento', '<body class="catalog-product-view">'],
    ['PrestaShop', '<body id="product">'],
    ['Salesforce Commerce', '<body class="pd-pdp__body">'],
  ])('recognises a product page of %s', (_name, body) => {
    const html = `${body}<main><h1>Thing</h1>${paragraph('it')}<div><h2>Frequently bought together</h2><p>Other</p></div></main>`;
    expect(left(html)).toEqual(PRODUCT);
  });

  it.each([
    ['WooCommerce', '<body class="archive tax-product_cat term-12">'],
    ['Shopify', '<body class="template-collection">'],
    ['Magento', '<body class="page-products catalog-category-view">'],
    ['PrestaShop', '<body id="category">'],
  ])('recognises a category page of %s', (_name, body) => {
    const html = `${body}<script type="application/ld+json">{"@type":"Product"}</script><main>${links}</main>`;
    expect(left(html)).toHaveLength(20);
  });

  it('takes a page with a JSON-LD script for each product as a listing', () => {
    const script = '<script type="application/ld+json">{"@type":"Product"}</script>';
    expect(left(`${script.repeat(4)}<main>${links}</main>`)).toHaveLength(20);
    expect(left(`${script.repeat(3)}<main>${links}<h1>Thing</h1>${paragraph('it')}</main>`)).toEqual(PRODUCT);
  });

  it('keeps the product type of a page with many links', () => {
    expect(productPage(`<div class="other">${links}</div>`)).toEqual(PRODUCT);
  });

  it('does not take a WordPress page with a publication date as an article', () => {
    const head = '<meta property="article:published_time" content="2026-01-01">';
    const list = '<figure><figcaption>What we built</figcaption></figure>';
    const page = (names: string) => left(`${head}<body class="${names}"><main><h1>We</h1>${list}</main>`);
    expect(page('page page-id-12')).toContain('What we built');
    expect(page('single single-post')).not.toContain('What we built');
  });
});

describe('boilerplate sections', () => {
  it.each([
    'Others also bought',
    'Keep exploring',
    'Notify me when back in stock',
    'Set a price alert',
    'Why shop with us',
    'Seller feedback (12)',
    'Ways to pay',
    'Warranty information',
    'Get the look',
    'Ähnliche Produkte',
    'Productos relacionados',
  ])('are dropped from a product page: %s', (title) => {
    const section = `<section><h2>${title}</h2>${paragraph('else')}</section>`;
    expect(productPage(`${paragraph('its use')}${section}`)).toEqual([...PRODUCT, sentence('its use')]);
  });

  it.each(['Specifications', 'How it is made', 'In the box'])('do not include %s of a product', (title) => {
    expect(productPage(`<section><h2>${title}</h2>${paragraph('that')}</section>`)).toContain(
      sentence('that'),
    );
  });

  it.each([
    'What’s new',
    'Latest insights',
    'News and events',
    'From our blog',
    'More resources',
    'Did you find what you were looking for?',
  ])('are dropped from a service page: %s', (title) => {
    const html = `<section><h2>${title}</h2><span>Elsewhere</span></section>`;
    const more = '<section><h2>How we do it</h2><span>With care, and on time</span></section>';
    expect(servicePage(more + html)).toEqual([...SERVICE, '## How we do it', 'With care, and on time']);
  });

  it.each(['Related searches', 'People also search for', 'Join the club', 'Recently viewed items'])(
    'are dropped from a listing: %s',
    (title) => {
      const card = '<li><a href="/1"><h3>Thing</h3></a><b>$1</b></li>';
      const html = `<ul>${card}</ul><section><h2>${title}</h2><a href="/2">Elsewhere</a></section>`;
      expect(collectionPage(html)).toEqual([...COLLECTION, '- ### [Thing](https://site.test/1)', '  **$1**']);
    },
  );

  it('include the categories of a WooCommerce product', () => {
    expect(productPage('<span class="posted_in">Categories: <a href="/c">C</a></span>')).toEqual(PRODUCT);
  });
});

describe('a footer', () => {
  const notes = paragraphs(...Array.from({ length: 9 }, (_, index) => `condition ${index}`));

  it('is dropped however long its small print is', () => {
    const main = `<main><h1>Things</h1>${paragraphs('things', 'more')}</main>`;
    expect(left(`${main}<footer>${notes}</footer>`)).toEqual([
      ...['# Things', sentence('things'), sentence('more')],
    ]);
  });

  it('is kept when nothing else on the page is marked as content', () => {
    const page = `<div>${paragraphs('a', 'b')}</div><footer>${notes}</footer>`;
    expect(left(page)).toContain(sentence('condition 7'));
    expect(left(page.replace('<footer>', '<footer><h1>Terms</h1>'))).toContain(sentence('condition 7'));
  });
});

describe('the main-content filter', () => {
  it('drops repeated card titles and badges', () => {
    const card = (name: string) =>
      `<li><a href="/${name}">Thing ${name}</a><h3><a href="/${name}">Thing ${name}</a></h3><b>$1</b> <span>Waterproof leather</span> <span>Waterproof leather</span></li>`;
    expect(collectionPage(`<ul>${['1', '2'].map(card).join('')}</ul>`).slice(2)).toEqual([
      ...['- ### [Thing 1](https://site.test/1)', '  **$1** Waterproof leather'],
      ...['- ### [Thing 2](https://site.test/2)', '  **$1** Waterproof leather'],
    ]);
  });

  it('keeps equal table values and equal texts of different cards', () => {
    const row = '<tr><td>Not available there</td><td>Not available there</td></tr>';
    expect(productPage(`<table>${row}${row}</table>`).join()).toContain(
      'Not available there | Not available there',
    );
    const card = (name: string) =>
      `<li><a href="/${name}"><img alt="" src="/${name}.png">${name}</a><span>Running shoes for men</span></li>`;
    const cards = `<ul>${['Red', 'Blue'].map(card).join('')}</ul>`;
    expect(
      collectionPage(cards)
        .join()
        .match(/Running shoes for men/g),
    ).toHaveLength(2);
  });

  it('keeps a section of links, and drops one of teasers, which have pictures', () => {
    const long = ['bread', 'flour', 'the mill']
      .map((about) => `<section><h2>About ${about}</h2>${paragraphs(about, `more of ${about}`)}</section>`)
      .join('');
    const section = (picture: string) =>
      `<section><h2>Courses</h2><ul>${['bakers', 'millers']
        .map((who) => `<li><a href="/${who}">${picture}The best course that we have for ${who}</a></li>`)
        .join('')}</ul></section>`;
    expect(servicePage(long + section('')).join()).toContain('for millers](');
    expect(servicePage(long + section('<img src="/p.png">'))).toEqual(servicePage(long));
  });

  it('keeps words of a sentence, introductions and headings that occur again after a text', () => {
    const html = ['one', 'two']
      .map(
        (about) => `<h3>Questions</h3><p>The <a href="/guide">long guide</a> says more about ${about}.</p>
          <p>It needs the following parts:</p><p>A <i>stone of granite</i>, or <i>stone of granite</i> and ${about}.</p>`,
      )
      .join('');
    expect(servicePage(html)).toEqual([
      ...SERVICE,
      ...['one', 'two'].flatMap((about) => [
        '### Questions',
        `The [long guide](https://site.test/guide) says more about ${about}.`,
        'It needs the following parts:',
        `A *stone of granite*, or *stone of granite* and ${about}.`,
      ]),
    ]);
  });

  it.each([
    ['clones of slides', '<div class="swiper-slide swiper-slide-duplicate"><h3>Slide</h3></div>'],
    [
      'variants for other screens',
      '<div class="ssr-variant hidden-a"></div><div class="ssr-variant"><h3>Slide</h3></div>',
    ],
  ])('drops %s', (_name, html) => {
    expect(servicePage(html)).toEqual(SERVICE);
  });

  it('drops the price that Shopify hides', () => {
    const price = (names: string) =>
      `<div class="price ${names}"><div class="price__regular">$12</div><div class="price__sale">$10</div></div>`;
    expect(productPage(price(''))).toEqual([...PRODUCT, '$12']);
    expect(productPage(price('price--on-sale'))).toEqual([...PRODUCT, '$10']);
  });

  it('keeps the visible price and drops its text for screen readers', () => {
    const html =
      '<p><del aria-hidden="true">$12</del> <span class="screen-reader-text">Original price was: $12.</span> <ins aria-hidden="true">$10</ins></p>';
    expect(productPage(html).at(-1)).toBe('~~$12~~ $10');
  });
});

describe('collapsed content', () => {
  it('is kept where a button expands it', () => {
    const answer = '<div id="a1" hidden>It is short.</div>';
    const question = '<button aria-expanded="false" aria-controls="a1">How long is the answer?</button>';
    expect(servicePage(`<div>${question}${answer}</div>`)).toEqual([
      ...SERVICE,
      'How long is the answer?',
      'It is short.',
    ]);
    expect(servicePage(answer)).toEqual(SERVICE);
  });

  it('is kept where a heading refers to it', () => {
    const html =
      '<section><h3><button aria-controls="a1">How long is it?</button></h3><div id="a1" hidden>Short.</div></section>';
    expect(servicePage(html)).toEqual([...SERVICE, '### How long is it?', 'Short.']);
  });

  it('is kept where a Bootstrap toggle expands it', () => {
    const html =
      '<div><div class="btn" data-toggle="collapse" data-target="#a1">How long is the answer?</div><div id="a1" style="display: none">Short.</div></div>';
    expect(servicePage(html)).toEqual([...SERVICE, 'How long is the answer?', 'Short.']);
  });

  it('is dropped in menus', () => {
    const html =
      '<div><button aria-expanded="false" aria-haspopup="true" aria-controls="m1">All that we can do for you</button><div id="m1" hidden>Menu</div></div>';
    expect(servicePage(html)).toEqual(SERVICE);
  });

  it('is kept in slides out of view except on product pages', () => {
    const slides = '<ul><li>First slide</li><li aria-hidden="true">Second slide</li></ul>';
    expect(servicePage(slides)).toContain('- Second slide');
    expect(productPage(slides)).not.toContain('- Second slide');
  });
});

it('a card that opens like a dialog or consists of a button is kept', () => {
  const overlay = `<div class="card-overlay">${paragraph('care')}</div><a class="btn-card" href="/c">${sentence('haste')}</a>`;
  expect(servicePage(`${overlay}<div class="modal">Sign up</div>`)).toEqual([
    ...SERVICE,
    sentence('care'),
    `[${sentence('haste')}](https://site.test/c)`,
  ]);
  expect(left(`<main><h1>We</h1>${paragraphs('a', 'b', 'c', 'd')}${overlay}</main>`)).not.toContain(
    sentence('care'),
  );
});

it('text for screen readers only is recognised in every card', () => {
  const names = ['Red', 'Blue', 'Green', 'Black', 'White', 'Brown', 'Grey', 'Pink'];
  const card = (name: string) =>
    `<li><a href="/${name}">${name}</a><span class="sr-only">Discounted by a lot for members</span></li>`;
  expect(collectionPage(`<ul>${names.map(card).join('')}</ul>`)).toEqual([
    ...COLLECTION,
    ...names.map((name) => `- [${name}](https://site.test/${name})`),
  ]);
});

describe('the work of the main-content filter on shop pages', () => {
  const workFor = (html: string) => countWork(`${PRODUCT_HEAD}${html}`);

  it.each([
    ['labels', (count: number) => '<div><a href="/x">Thing</a></div>'.repeat(count)],
    ['wrappers', (count: number) => '<div>'.repeat(count)],
    [
      'folds',
      (count: number) => '<button aria-expanded=true aria-controls=a>Question</button>'.repeat(count),
    ],
  ])('grows no faster than %s', (_name, html) => {
    const page = (count: number) => `<h1>Thing</h1>${paragraphs('it', 'its use')}${html(count)}<p>End</p>`;
    expect(workFor(page(8000))).toBeLessThan(workFor(page(2000)) * 4.5 + 100);
  });
});
