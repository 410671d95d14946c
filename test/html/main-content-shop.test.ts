import { describe, expect, it } from 'vitest';
import { contentOf } from './page.ts';

const sentence = (about: string) =>
  `A long sentence about ${about} that says enough to count as a paragraph, and more.`;
const paragraph = (about: string) => `<p>${sentence(about)}</p>`;

/** What the filter leaves of a page, one block per line. */
const left = (html: string, url = 'https://site.test/dir/page') =>
  contentOf(html, {}, { url }).markdown.split(/\n+/);

const productPage = (inside: string) =>
  left(`<meta property="og:type" content="product"><main><h1>Thing</h1>${paragraph('it')}${inside}</main>`);
const PRODUCT = ['# Thing', sentence('it')];

const servicePage = (inside: string) =>
  left(
    `<main><h1>We</h1><section><h2>What we do</h2><span>For you and for all who come to us</span></section>${inside}</main>`,
    'https://site.test/',
  );
const SERVICE = ['# We', '## What we do', 'For you and for all who come to us'];

describe('what kind of page shop software says it is', () => {
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
  ])('a product of %s', (_name, body) => {
    const html = `${body}<main><h1>Thing</h1>${paragraph('it')}<div><h2>Frequently bought together</h2><p>Other</p></div></main>`;
    expect(left(html)).toEqual(PRODUCT);
  });

  it.each([
    ['WooCommerce', '<body class="archive tax-product_cat term-12">'],
    ['Shopify', '<body class="template-collection">'],
    ['Magento', '<body class="page-products catalog-category-view">'],
    ['PrestaShop', '<body id="category">'],
  ])('a shelf of %s', (_name, body) => {
    const html = `${body}<script type="application/ld+json">{"@type":"Product"}</script><main>${links}</main>`;
    expect(left(html)).toHaveLength(20);
  });

  it('a product is none the less one for all the links beside it', () => {
    expect(productPage(`<div class="other">${links}</div>`)).toEqual(PRODUCT);
  });

  it('a page of WordPress is no article for saying when it was published', () => {
    const head = '<meta property="article:published_time" content="2026-01-01">';
    const list = '<figure><figcaption>What we built</figcaption></figure>';
    const page = (names: string) => left(`${head}<body class="${names}"><main><h1>We</h1>${list}</main>`);
    expect(page('page page-id-12')).toContain('What we built');
    expect(page('single single-post')).not.toContain('What we built');
  });
});

describe('sections beside', () => {
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
  ])('a product: %s', (title) => {
    expect(productPage(`<section><h2>${title}</h2>${paragraph('else')}</section>`)).toEqual(PRODUCT);
  });

  it.each(['Specifications', 'How it is made', 'In the box'])('a product keeps %s', (title) => {
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
  ])('a service: %s', (title) => {
    const html = `<section><h2>${title}</h2><span>Elsewhere</span></section>`;
    const more = '<section><h2>How we do it</h2><span>With care, and on time</span></section>';
    expect(servicePage(more + html)).toEqual([...SERVICE, '## How we do it', 'With care, and on time']);
  });
});
