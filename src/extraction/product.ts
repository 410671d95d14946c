import { resolve } from '../html/address.ts';
import type { Content } from '../html/content.ts';
import type { Item } from '../html/json-ld.ts';
import { itemsOf } from '../html/structured-data.ts';
import { type Money, moneyOf } from './money.ts';
import { addressesIn, availabilityOf, textIn, thingsIn } from './things.ts';

/** One of the forms in which a product can be had. */
interface Variant {
  id?: string;
  sku?: string;
  title?: string;
  /** What it differs in, such as `{color: 'red'}`. */
  values?: Record<string, string>;
  price?: Money;
  availability: { inStock: boolean; text?: string };
  images?: { url: string }[];
}

/** A product as its page describes it for machines. */
export interface Product {
  title: string;
  url: string;
  brand?: string;
  category?: string;
  description?: string;
  variants: Variant[];
}

const MOST_VARIANTS = 500;
const DIFFERENCES = ['color', 'size', 'material', 'pattern'];

/** The product of a page, by schema.org or Open Graph; `undefined` where the page describes none, or several. */
export function productOf(content: Content): Product | undefined {
  const products = itemsOf(content.structuredData).filter(({ '@type': type }) =>
    /^(?:ProductGroup|Product|IndividualProduct|ProductModel|Vehicle|Car)$/.test(String(type)),
  );
  const titles = new Set(products.map(({ name }) => textIn(name)));
  const product = products.find(({ '@type': type }) => type === 'ProductGroup') ?? products[0];
  if (!product) return byOpenGraph(content);
  // Several of them are a list. A group names its members itself.
  if (product['@type'] !== 'ProductGroup' && titles.size > 1) return undefined;
  const title = textIn(product.name);
  if (title === undefined) return undefined;
  const { url } = content.snapshot;
  const address = addressesIn(product.url)[0];
  return {
    title,
    url: (address && resolve(address, url)) || url,
    ...texts(product),
    variants: variantsOf(product, url).slice(0, MOST_VARIANTS),
  };
}

function texts({ brand, category, description }: Item): Pick<Product, 'brand' | 'category' | 'description'> {
  const said = { brand: textIn(brand), category: textIn(category), description: textIn(description) };
  return {
    ...(said.brand && { brand: said.brand }),
    ...(said.category && { category: said.category }),
    ...(said.description && { description: said.description }),
  };
}

/** Its variants where it has some, else one for each of its offers. */
function variantsOf(product: Item, url: string): Variant[] {
  const variants = thingsIn(product.hasVariant);
  if (variants.length > 0) return variants.flatMap((variant) => variantsOf(variant, url).slice(0, 1));
  const offers = thingsIn(product.offers).flatMap((offer) => {
    // What holds several offers may name the currency of all of them.
    const inner = thingsIn(offer.offers).map((each) => ({ priceCurrency: offer.priceCurrency, ...each }));
    return inner.length > 0 ? inner : [offer];
  });
  return offers.map((offer) => variantOf(product, offer, url));
}

function variantOf(product: Item, offer: Item, url: string): Variant {
  const id = textIn(product.productID) ?? textIn(offer['@id']);
  const sku = textIn(offer.sku) ?? textIn(product.sku);
  const title = textIn(offer.name) ?? textIn(product.name);
  const [specification = {}] = thingsIn(offer.priceSpecification);
  const price = moneyOf(
    offer.price ?? offer.lowPrice ?? specification.price,
    offer.priceCurrency ?? specification.priceCurrency,
  );
  const values = DIFFERENCES.flatMap((name) => {
    const value = textIn(product[name]);
    return value === undefined ? [] : [[name, value]];
  });
  const images = addressesIn(product.image).map((image) => ({ url: resolve(image, url) ?? image }));
  return {
    ...(id && { id }),
    ...(sku && { sku }),
    ...(title && { title }),
    ...(values.length > 0 && { values: Object.fromEntries(values) }),
    ...(price && { price }),
    availability: availabilityOf(offer.availability),
    ...(images.length > 0 && { images }),
  };
}

function byOpenGraph({ structuredData: { openGraph }, snapshot: { url } }: Content): Product | undefined {
  const said = (name: string) => textIn(openGraph[name]);
  const title = said('og:title');
  const price = moneyOf(
    said('product:price:amount') ?? said('og:price:amount'),
    said('product:price:currency') ?? said('og:price:currency'),
  );
  if (title === undefined || (!price && !/product/i.test(said('og:type') ?? ''))) return undefined;
  const image = said('og:image');
  const images = image ? { images: [{ url: resolve(image, url) ?? image }] } : {};
  return {
    title,
    url: said('og:url') ?? url,
    ...texts({
      brand: said('product:brand'),
      category: said('product:category'),
      description: said('og:description'),
    }),
    variants: price
      ? [
          {
            price,
            availability: availabilityOf(said('product:availability') ?? said('og:availability')),
            ...images,
          },
        ]
      : [],
  };
}
