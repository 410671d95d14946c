import { describe, expect, it } from 'vitest';
import { extractMenu } from '../../../src/content/extraction/menu.ts';
import { extractProduct } from '../../../src/content/extraction/product.ts';
import { contentOf } from '../html/page.ts';

const jsonLd = (value: object) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const offer = (price: unknown, more: object = {}) => ({
  '@type': 'Offer',
  price,
  priceCurrency: 'eur',
  ...more,
});

describe('a product', () => {
  const product = (html: string) => extractProduct(contentOf(html));

  it('is described by the page, with a variant for each offer', () => {
    const page = jsonLd({
      '@type': 'Product',
      name: 'Lamp',
      url: '/lamp',
      brand: { name: 'Lux' },
      category: 'Light',
      description: 'Bright.',
      sku: 'L1',
      image: '/a.png',
      offers: [offer('12.50'), offer(20, { sku: 'L2', availability: 'https://schema.org/OutOfStock' })],
    });
    const images = [{ url: 'https://site.test/a.png' }];
    expect(product(page)).toEqual({
      title: 'Lamp',
      url: 'https://site.test/lamp',
      brand: 'Lux',
      category: 'Light',
      description: 'Bright.',
      variants: [
        {
          sku: 'L1',
          title: 'Lamp',
          price: { amount: 12.5, currency: 'EUR' },
          availability: { inStock: true },
          images,
        },
        {
          sku: 'L2',
          title: 'Lamp',
          price: { amount: 20, currency: 'EUR' },
          availability: { inStock: false, text: 'OutOfStock' },
          images,
        },
      ],
    });
  });

  it('of a product group has variants with the attributes in which they differ', () => {
    const variant = (color: string) => ({
      '@type': 'Product',
      name: `Shirt ${color}`,
      color,
      offers: offer('9'),
    });
    const page = jsonLd({
      '@type': 'ProductGroup',
      name: 'Shirt',
      hasVariant: [variant('red'), variant('blue')],
    });
    expect(product(page)?.variants).toMatchObject([
      { title: 'Shirt red', values: { color: 'red' } },
      { title: 'Shirt blue', values: { color: 'blue' } },
    ]);
  });

  it('has the common currency of several offers', () => {
    const offers = [{ price: '10' }, { price: '9', priceCurrency: 'EUR' }];
    const page = jsonLd({
      '@type': 'Product',
      name: 'Lamp',
      offers: { '@type': 'AggregateOffer', lowPrice: '9', priceCurrency: 'USD', offers },
    });
    expect(product(page)?.variants.map(({ price }) => price)).toEqual([
      { amount: 10, currency: 'USD' },
      { amount: 9, currency: 'EUR' },
    ]);
  });

  it('is read from Open Graph too', () => {
    const page = `<meta property="og:type" content="product"><meta property="og:title" content="Lamp">
      <meta property="product:price:amount" content="12.50"><meta property="product:price:currency" content="EUR">
      <meta property="product:availability" content="out of stock">`;
    expect(product(page)).toEqual({
      title: 'Lamp',
      url: 'https://site.test/dir/page',
      variants: [
        { price: { amount: 12.5, currency: 'EUR' }, availability: { inStock: false, text: 'out of stock' } },
      ],
    });
  });

  it('is missing on a page with several products, none, or one without a name', () => {
    const named = (name: string) => ({ '@type': 'Product', name });
    expect(product(jsonLd([named('A'), named('B')]))).toBeUndefined();
    expect(product(jsonLd({ '@type': 'Article', name: 'A' }))).toBeUndefined();
    expect(product(jsonLd({ '@type': 'Product', sku: '1' }))).toBeUndefined();
    expect(product('<meta property="og:title" content="A">')).toBeUndefined();
  });
});

describe('a menu', () => {
  const dish = {
    '@type': 'MenuItem',
    name: 'Soup',
    description: 'Hot.',
    image: '/s.png',
    offers: offer('4.50'),
  };
  const vegan = {
    '@type': 'MenuItem',
    name: 'Salad',
    suitableForDiet: 'https://schema.org/VeganDiet',
    nutrition: { calories: '240 calories' },
  };
  const PLACE = {
    '@type': 'Restaurant',
    name: 'Inn',
    address: { streetAddress: 'High St 1', addressLocality: 'Linz' },
    hasMenu: {
      '@type': 'Menu',
      hasMenuSection: [
        { name: 'Starters', description: 'Small', hasMenuItem: [dish] },
        { name: 'Mains', hasMenuSection: { name: 'Green', hasMenuItem: vegan } },
      ],
    },
  };

  it('has its sections, dishes and restaurant', () => {
    const url = 'https://site.test/dir/page';
    expect(extractMenu(contentOf(jsonLd(PLACE)))).toEqual({
      isMenu: true,
      confidence: 1,
      merchant: { name: 'Inn', type: 'Restaurant', location: 'High St 1, Linz' },
      currency: 'EUR',
      sourceUrl: url,
      sections: [
        {
          id: 'section-1',
          name: 'Starters',
          description: 'Small',
          items: [
            {
              id: 'item-1',
              name: 'Soup',
              description: 'Hot.',
              images: ['https://site.test/s.png'],
              price: { amount: 4.5, currency: 'EUR' },
              availability: { inStock: true },
              dietary: [],
              optionGroups: [],
              sourceUrl: url,
            },
          ],
        },
        {
          id: 'section-2',
          name: 'Green',
          items: [
            {
              id: 'item-2',
              name: 'Salad',
              images: [],
              availability: { inStock: true },
              dietary: ['VeganDiet'],
              calories: 240,
              optionGroups: [],
              sourceUrl: url,
            },
          ],
        },
      ],
    });
  });

  it('is missing where the page has none or only links to one', () => {
    expect(extractMenu(contentOf(jsonLd({ ...PLACE, hasMenu: 'https://inn.test/menu' })))).toBeUndefined();
    expect(extractMenu(contentOf('<p>Soup 4.50'))).toBeUndefined();
  });
});
