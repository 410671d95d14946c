import { describe, expect, it } from 'vitest';
import { extractAll, extractBySchema } from '../../../src/content/extraction/extract.ts';
import { compileValidator, findSchemaError } from '../../../src/content/extraction/json-schema.ts';
import { ServiceError } from '../../../src/errors.ts';
import { itInFullRun } from '../../support/suite/corpus.ts';
import { contentOf } from '../html/page.ts';

const string = { type: 'string' };
const number = { type: 'number' };
const integer = { type: 'integer' };
const boolean = { type: 'boolean' };
const list = (items: object) => ({ type: 'array', items });
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

const dataOf = (html: string, properties: object, more: object = {}) =>
  extractBySchema(contentOf(html), object(properties, more))?.value;
const jsonLd = (value: object) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;

const LAMP = `<html lang="en"><title>Lamp | Shop</title>${jsonLd({
  '@type': 'Product',
  name: 'Lamp',
  brand: { '@type': 'Brand', name: 'Lux' },
  image: ['/a.jpg', '/b.jpg'],
  offers: {
    '@type': 'Offer',
    price: '1299.000',
    priceCurrency: 'USD',
    availability: 'https://schema.org/InStock',
  },
  aggregateRating: { ratingValue: 4.5, reviewCount: '12' },
})}<main><h1>Lamp Deluxe</h1><p>Guarantee: 2 years</p>
  <table><tr><th>Weight<td>3.5 kg<tr><th>Colour<td>red<tr><th>Size<td>10 x 20 cm</table></main>`;

describe('an object of a schema', () => {
  it('has the values of structured data, matched by name and converted to their types', () => {
    const wanted = {
      title: string,
      price: number,
      currency: string,
      inStock: boolean,
      brand: string,
      rating: number,
      review_count: integer,
      imageUrls: list({ type: 'string', format: 'uri' }),
      availability: { enum: ['in_stock', 'out_of_stock'] },
    };
    expect(dataOf(LAMP, wanted)).toEqual({
      title: 'Lamp',
      price: 1299,
      currency: 'USD',
      inStock: true,
      brand: 'Lux',
      rating: 4.5,
      review_count: 12,
      imageUrls: ['https://site.test/a.jpg', 'https://site.test/b.jpg'],
      availability: 'in_stock',
    });
  });

  it('has the labelled values of the page', () => {
    const wanted = { weight: number, color: { enum: ['Red', 'Blue'] }, guarantee: string, size: string };
    expect(dataOf(LAMP, wanted)).toEqual({
      weight: 3.5,
      color: 'Red',
      guarantee: '2 years',
      size: '10 x 20 cm',
    });
  });

  it('leaves out and names fields that the page does not have', () => {
    const schema = object({
      price: number,
      shippingPrice: number,
      author: string,
      size: number,
      seller: { type: ['string', 'null'] },
    });
    expect(extractBySchema(contentOf(LAMP), schema)).toEqual({
      value: { price: 1299, seller: null },
      missing: ['shippingPrice', 'author', 'size', 'seller'],
    });
  });

  it('is missing when the page has none of its fields', () => {
    expect(dataOf('<h1>A</h1><p>Nothing here.</p>', { price: number, year: integer })).toBeUndefined();
    expect(dataOf('<p>x', { seller: { type: ['string', 'null'] } })).toBeUndefined();
  });

  it('leaves out values that violate the schema', () => {
    const wanted = {
      title: { type: 'string', maxLength: 3 },
      price: { type: 'number', minimum: 5000 },
      rating: { type: 'number', maximum: 5 },
      images: { type: 'array', items: string, maxItems: 1 },
      brand: { type: 'string', pattern: '^L' },
    };
    expect(dataOf(LAMP, wanted)).toEqual({ rating: 4.5, brand: 'Lux', images: ['/a.jpg'] });
  });

  it('supports references, alternatives and combined schemas', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { money: { type: 'number' } },
      allOf: [{ type: 'object', properties: { price: { $ref: '#/definitions/money' } } }],
      properties: {
        brand: { anyOf: [object({ name: string }), { type: 'null' }] },
      },
    };
    expect(extractBySchema(contentOf(LAMP), schema)?.value).toEqual({
      price: 1299,
      brand: { name: 'Lux' },
    });
  });

  it('describes the subject of the page and not its surroundings', () => {
    const page = `${jsonLd({ '@type': 'Organization', name: 'Shop Ltd', url: 'https://shop.test' })}${jsonLd({
      '@type': 'Article',
      headline: 'Rain',
      author: [{ name: 'Ann' }, { name: 'Bob' }],
      publisher: { name: 'Daily' },
      keywords: 'rain, sun',
      datePublished: '2024-03-04T10:00:00Z',
    })}<h1>Rain today</h1>`;
    const wanted = {
      title: string,
      authors: list(string),
      author: object({ name: string }),
      authorName: string,
      publisher: string,
      tags: list(string),
      publishedAt: { type: 'string', format: 'date-time' },
      publishDate: { type: 'string', format: 'date' },
    };
    expect(dataOf(page, wanted)).toEqual({
      title: 'Rain',
      authors: ['Ann', 'Bob'],
      author: { name: 'Ann' },
      authorName: 'Ann',
      publisher: 'Daily',
      tags: ['rain', 'sun'],
      publishedAt: '2024-03-04T10:00:00Z',
      publishDate: '2024-03-04',
    });
  });

  it('is filled from microdata, meta tags and definition lists', () => {
    const micro =
      '<div itemscope itemtype="x:/Product"><b itemprop="name">Pen</b><i itemprop="sku">P1</i></div>';
    expect(dataOf(micro, { name: string, sku: string })).toEqual({ name: 'Pen', sku: 'P1' });
    const meta =
      '<meta property="og:title" content="Pen"><meta property="product:price:amount" content="2.50">';
    expect(dataOf(meta, { title: string, price: number })).toEqual({ title: 'Pen', price: 2.5 });
    const terms = '<html lang="de"><dl><dt>Preis:<dd>1.299,00 €<dt>Hersteller<dd>Lux</dl>';
    expect(dataOf(terms, { price: number, currency: string, brand: string })).toEqual({
      price: 1299,
      currency: 'EUR',
      brand: 'Lux',
    });
  });

  it('names the entries of a list by the heading above them', () => {
    const page =
      '<h1>Soup</h1><h2>Ingredients</h2><ul><li>1 onion<li>2 carrots</ul><p>Text<ul><li>Other</ul>';
    expect(dataOf(page, { ingredients: list(string) })).toEqual({ ingredients: ['1 onion', '2 carrots'] });
  });
});

describe('an object inside the schema', () => {
  it('named after the subject of the page describes that subject', () => {
    expect(dataOf(LAMP, { product: object({ brand: string, price: number }) })).toEqual({
      product: { brand: 'Lux', price: 1299 },
    });
    const article = '<title>Bees</title><meta name="author" content="Ann"><h1>Bees in winter</h1>';
    expect(dataOf(article, { articleDetails: object({ heading: string, author: string }) })).toEqual({
      articleDetails: { heading: 'Bees in winter', author: 'Ann' },
    });
  });

  it('with another name describes something else', () => {
    expect(dataOf(LAMP, { bulb: object({ name: string, price: number }) })).toBeUndefined();
  });
});

describe('a list of a schema', () => {
  it('has names and prices from the same text', () => {
    const menu = '<h2>Mains</h2><ul><li>Lasagne $14.00</li><li>Fish … 15,50 €</li><li>Size 10</li></ul>';
    expect(dataOf(menu, { mains: list(object({ name: string, price: number })) })).toEqual({
      mains: [{ name: 'Lasagne', price: 14 }, { name: 'Fish', price: 15.5 }, { name: 'Size 10' }],
    });
  });

  const CARDS = `<main><h1>Books</h1><div>${[
    ['One', '12,50 €', 'Ann'],
    ['Two', '1.299,00 €', 'Bob'],
    ['Three', '7 €', ''],
  ]
    .map(
      ([title, price, author], n) =>
        `<article class="card"><h3><a href="/${n}">${title}</a></h3><img src="${n}.png"><p class="price">${price}</p>${author && `<span class="card__author">${author}</span>`}</article>`,
    )
    .join('')}</div></main>`;
  const book = object({ title: string, price: number, link: string, image: string, author: string });

  it('has an entry for each card of a page', () => {
    const books = [
      { title: 'One', price: 12.5, link: 'https://site.test/0', author: 'Ann' },
      { title: 'Two', price: 1299, link: 'https://site.test/1', author: 'Bob' },
      { title: 'Three', price: 7, link: 'https://site.test/2' },
    ].map((each, n) => ({ ...each, image: `https://site.test/dir/${n}.png` }));
    expect(dataOf(CARDS, { books: list(book) })).toEqual({ books });
    expect(extractBySchema(contentOf(CARDS), list(book))?.value).toEqual(books);
  });

  it('has the entries of a list and not the lists', () => {
    const entry = (name: string, price: string) => `<li><h3>${name}</h3><span>${price}</span></li>`;
    const page = `<h2>Starters</h2><ul>${entry('Salad', '$6.50')}${entry('Soup', '$5.00')}</ul>
      <h2>Mains</h2><ul>${entry('Lasagne', '$14.00')}${entry('Risotto', '$13.00')}</ul>`;
    const dish = object({ name: string, price: number });
    expect(dataOf(page, { dishes: list(dish) })).toEqual({
      dishes: [
        { name: 'Salad', price: 6.5 },
        { name: 'Soup', price: 5 },
      ],
    });
  });

  it('has all values of one item', () => {
    const offers = [
      { sku: 'R', price: '10' },
      { sku: 'B', price: '20' },
    ];
    const page = jsonLd({
      '@type': 'Product',
      offers: { '@type': 'AggregateOffer', lowPrice: '10', offers },
    });
    expect(dataOf(page, { offers: list(object({ sku: string, price: number })) })).toEqual({
      offers: [
        { sku: 'R', price: 10 },
        { sku: 'B', price: 20 },
      ],
    });
  });

  it('has the rows of a table by column names, of several tables the one with the right name', () => {
    const table = (name: string, player: string) =>
      `<h2>${name}</h2><table><thead><tr><th>Name<th>Alter</thead><tr><td>${player}<td>21<tr><td>Bob<td>30</table>`;
    const page = table('Trainers', 'Eva') + table('Players', 'Ann');
    expect(dataOf(page, { players: list(object({ name: string, alter: integer })) })).toEqual({
      players: [
        { name: 'Ann', alter: 21 },
        { name: 'Bob', alter: 30 },
      ],
    });
  });

  it('has the structured items of a type and the members of a structured list', () => {
    const events = ['A', 'B'].map((name) => ({ '@type': 'Event', name, startDate: '2024-01-02' }));
    const wanted = { events: list(object({ title: string, start: { type: 'string', format: 'date' } })) };
    const found = {
      events: [
        { title: 'A', start: '2024-01-02' },
        { title: 'B', start: '2024-01-02' },
      ],
    };
    expect(dataOf(jsonLd(events), wanted)).toEqual(found);
    const inside = { '@type': 'Place', name: 'Hall', event: events };
    expect(dataOf(jsonLd(inside), wanted)).toEqual(found);
  });

  it('is not filled from a list of links', () => {
    const entries = ['Terms', 'Privacy', 'Imprint']
      .map((name) => `<li><a href="/${name}">${name}</a>`)
      .join('');
    const page = `<main><h1>Lamp</h1><p>Text of some length for the page.</p><ul>${entries}</ul></main>`;
    const thing = { name: string, url: string };
    expect(dataOf(page, { products: list(object({ ...thing, price: number })) })).toBeUndefined();
    expect(dataOf(page, { products: list(object(thing)) })).toBeUndefined();
    const named = page.replace('<ul>', '<h2>Links</h2><ul>');
    expect(dataOf(named, { links: list(object(thing)) })).toMatchObject({
      links: [{ name: 'Terms' }, {}, {}],
    });
  });

  it('does not use a statement about an item as its name', () => {
    const page = jsonLd({
      '@type': 'Game',
      aggregateRating: { ratingValue: 9, description: 'Very good' },
      offers: { name: 'Deal' },
    });
    expect(dataOf(page, { name: string, description: string, rating: number })).toEqual({ rating: 9 });
  });

  it('is missing when nothing on the page repeats', () => {
    expect(dataOf('<h1>Books</h1><p>None.</p>', { books: list(book) })).toBeUndefined();
  });
});

describe('a page of JSON', () => {
  it('is matched by the names of its members', () => {
    const text = JSON.stringify({ total_count: '7', user: { name: 'Ann', e_mail: 'a@b.c' } });
    const schema = object({ totalCount: integer, userName: string, user: object({ email: string }) });
    expect(extractBySchema(contentOf(text, {}, { kind: 'json' }), schema)?.value).toEqual({
      totalCount: 7,
      userName: 'Ann',
      user: { email: 'a@b.c' },
    });
  });

  it('that is a list provides its members, and invalid JSON provides nothing', () => {
    const json = (text: string) =>
      extractBySchema(contentOf(text, {}, { kind: 'json' }), list(object({ name: string })))?.value;
    expect(json('[{"name":"a"},{"name":"b"}]')).toEqual([{ name: 'a' }, { name: 'b' }]);
    expect(json('[{"name":')).toBeUndefined();
  });
});

it('without a schema the result is all structured data of the page', () => {
  expect(
    extractAll(contentOf(`${jsonLd({ '@type': 'A', name: 'N' })}<meta property="og:title" content="T">`)),
  ).toEqual({
    items: [{ '@type': 'A', name: 'N' }],
    openGraph: { 'og:title': 'T' },
  });
  expect(extractAll(contentOf('<p>x'))).toBeUndefined();
});

describe('a schema', () => {
  it.each([
    [{ type: 'nonsense' }, /^schema\.type must be one of "string", .*, not "nonsense"$/],
    [{ type: 'objekt' }, /Did you mean "object"\?$/],
    [
      { properties: { a: 'float' } },
      /^schema\.properties\.a must be an object, not "float"\. Write \{"type":"number"\}$/,
    ],
    [
      { properties: { a: { required: true } } },
      /Leave it out, and write "required": \["a"\] beside properties$/,
    ],
    [{ type: 'object', properties: [] }, /properties/],
    [
      { properties: { a: { $ref: '#/$defs/missing' } }, $defs: { other: {} } },
      /refers to #\/\$defs\/missing/,
    ],
    [{ properties: { a: { $ref: '#/nowhere' } } }, /refers to #\/nowhere/],
    [{ properties: { a: { $ref: '#/anyOf/1' } }, anyOf: [{}] }, /refers to #\/anyOf\/1/],
    [{ $ref: 'https://other.test/schema.json' }, /refers to https:\/\/other\.test\/schema\.json/],
    [{ $ref: '#name' }, /refers to #name/],
    [JSON.parse(`${'{"items":'.repeat(100)}{}${'}'.repeat(100)}`), /more than 40 levels/],
    [{ enum: Array.from({ length: 6_000 }, (_, n) => n) }, /members/],
    [{ properties: { a: { pattern: '(a)\\1' } } }, /schema\/properties\/a\/pattern has a back-reference/],
    [
      { allOf: Array.from({ length: 1_000 }, () => ({ pattern: '(a)\\1' })) },
      /schema\/allOf\/0\/pattern has a back-reference/,
    ],
    [{ patternProperties: { 'a(?!b)': {} } }, /schema\/patternProperties\/a\(\?!b\) has a look-around/],
    [
      { allOf: Array.from({ length: 200 }, (_, n) => ({ pattern: `${n}[ab]{900}` })) },
      /too complex together/,
    ],
  ])('that is invalid is refused with the reason', (schema, why) => {
    expect(findSchemaError(schema)).toMatch(why);
  });

  it.each([
    [{ properties: { a: { $ref: '#' } } }],
    [{ properties: { a: { $ref: '#/anyOf/0' } }, anyOf: [{}] }],
    [{ properties: { a: { $ref: '#/$defs/a~1b%20c' } }, $defs: { 'a/b c': {} } }],
    [{ properties: { a: { $ref: '#name' } }, $defs: { a: { $anchor: 'name' } } }],
  ])('may refer to its own parts: %j', (schema) => {
    expect(findSchemaError(schema)).toBeUndefined();
  });

  it.each([
    [{ type: 'object', properties: { a: { $ref: '#/nowhere' } } }],
    [{ type: 'object', properties: { a: { type: 'string', pattern: '(' } } }],
    [{ definitions: { a: { $ref: '#/definitions/a' } }, properties: { a: { $ref: '#/definitions/a' } } }],
  ])('that leads nowhere is an error of the request: %j', (schema) => {
    const act = () => extractBySchema(contentOf(LAMP), schema);
    expect(act).toThrow(ServiceError);
    expect(act).toThrow(/schema cannot be used/);
  });

  it('has patterns that take linear time on values of a hostile page', () => {
    const value = `${'a'.repeat(50_000)}!`;
    const schema = object({ name: { type: 'string', pattern: '^(a+)+$' }, price: number });
    const page = jsonLd({ '@type': 'Product', name: value, price: 5 });
    expect(extractBySchema(contentOf(page), schema)?.value).toEqual({ price: 5 });
    const named = { patternProperties: { '^(a+)+$': number }, properties: { price: number } };
    expect(compileValidator(named)({ [value]: 'x', price: 5 })).toEqual([]);
  });

  it('can use the names of object members', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"},"price":{"type":"number"}}}',
    );
    expect(extractBySchema(contentOf(LAMP), schema)?.value).toEqual({ price: 1299 });
  });

  const names = Array.from({ length: 10 }, (_, n) => `n${n}`);
  const bombs: [string, object][] = [
    ['things', object(Object.fromEntries(names.map((name) => [name, { $ref: '#/definitions/a' }])))],
    ['lists', object(Object.fromEntries(names.map((name) => [name, list({ $ref: '#/definitions/a' })])))],
    [
      'things and alternatives',
      { properties: { n: { anyOf: names.map(() => ({ $ref: '#/definitions/a' })) } } },
    ],
  ];
  it.each(bombs)('with recursive %s is processed in bounded time', (_name, a) => {
    const schema = { ...object({ a: { $ref: '#/definitions/a' }, price: number }), definitions: { a } };
    const page = LAMP + names.map((name) => `<p>a ${name} ${name}: x</p>`).join('');
    expect(
      extractBySchema(contentOf(page), { ...schema, properties: { price: number, ...schema.properties } })
        ?.value,
    ).toEqual({ price: 1299 });
  });

  itInFullRun('with very many names is matched against very many labels in bounded time', () => {
    const page = Array.from({ length: 5_000 }, (_, n) => `<p>Label ${n}: value ${n}</p>`).join('');
    const names = Array.from({ length: 2_000 }, (_, n) => [`wanted${n}`, string]);
    expect(dataOf(page, { 'label 7': string, ...Object.fromEntries(names) })).toEqual({
      'label 7': 'value 7',
    });
  });
});

describe('a product group', () => {
  const variant = (sku: string, price: string, state: string) => ({
    '@type': 'Product',
    sku,
    offers: { '@type': 'Offer', price, priceCurrency: 'EUR', availability: `https://schema.org/${state}` },
  });
  const group = (more: object) => jsonLd({ '@type': 'ProductGroup', name: 'Shirt', ...more });
  const hasVariant = [
    variant('S1', '12.50', 'OutOfStock'),
    variant('S2', '9.00', 'InStock'),
    variant('S3', '12.50', 'InStock'),
  ];

  it('has the common values of its variants, and the lowest price with the highest', () => {
    const wanted = { name: string, price: number, highPrice: number, currency: string, availability: string };
    const found = { name: 'Shirt', price: 9, currency: 'EUR', availability: 'InStock' };
    expect(dataOf(group({ hasVariant }), wanted)).toEqual({ ...found, highPrice: 12.5 });
    const same = [variant('S1', '9', 'InStock'), variant('S2', '9', 'InStock')];
    expect(dataOf(group({ hasVariant: same }), wanted)).toEqual(found);
  });

  it('has no value of which each variant has another', () => {
    expect(dataOf(group({ hasVariant }), { name: string, sku: string })).toEqual({ name: 'Shirt' });
    expect(dataOf(group({ hasVariant: hasVariant.slice(0, 1) }), { sku: string })).toEqual({ sku: 'S1' });
  });

  it('has the values of all variants where a list is wanted', () => {
    const wanted = {
      sku: list(string),
      prices: list(number),
      variants: list(object({ sku: string, price: number })),
    };
    expect(dataOf(group({ hasVariant, sku: 'S' }), wanted)).toEqual({
      sku: ['S1', 'S2', 'S3'],
      prices: [12.5, 9],
      variants: [
        { sku: 'S1', price: 12.5 },
        { sku: 'S2', price: 9 },
        { sku: 'S3', price: 12.5 },
      ],
    });
  });

  it('has its own values rather than those of its variants', () => {
    const offers = { price: 20, priceCurrency: 'USD' };
    const wanted = { price: number, currency: string, sku: string };
    const found = { price: 20, currency: 'USD', sku: 'S' };
    expect(dataOf(group({ hasVariant, offers, sku: 'S' }), wanted)).toEqual(found);
  });
});

describe('what the offer of a page is for', () => {
  const wanted = { name: string, brand: string, price: number, currency: string };
  const found = { name: 'Lamp', brand: 'Lux', price: 7.84, currency: 'USD' };
  const lamp = { '@type': 'Product', name: 'Lamp', brand: 'Lux' };
  const terms = { '@type': 'Offer', price: '7.84', priceCurrency: 'USD' };

  it('is the product, with the price of the offer', () => {
    expect(dataOf(jsonLd({ ...terms, itemOffered: lamp }), wanted)).toEqual(found);
  });

  it('has its own offers before that of the page', () => {
    const offers = [null, terms, { ...terms, price: '9' }];
    const mainEntity = {
      '@type': 'WebPageElement',
      offers: { '@type': 'Offer', itemOffered: [{ ...lamp, offers }] },
    };
    const page = jsonLd({ '@type': 'WebPage', name: 'Lamp - Shop', mainEntity });
    expect(dataOf(page, wanted)).toEqual(found);
  });
});
