import type { Content } from '../html/content.ts';
import type { JsonLdItem } from '../html/structured-data/json-ld.ts';
import { itemsOf } from '../html/structured-data/structured-data.ts';
import { resolveUrl } from '../html/urls.ts';
import { readAvailability, readItems, readOfferPrice, readOffers, readText, readUrls } from './schema-org.ts';
import { type Money, parseMoney } from './values/money.ts';

/** A variant of a product, such as one size and colour. */
interface Variant {
  id?: string;
  sku?: string;
  title?: string;
  /** The properties that distinguish it, such as `{color: 'red'}`. */
  values?: Record<string, string>;
  price?: Money;
  availability: { inStock: boolean; text?: string };
  images?: { url: string }[];
}

/** A product from structured data. */
export interface Product {
  title: string;
  url: string;
  brand?: string;
  category?: string;
  description?: string;
  variants: Variant[];
}

const MAX_VARIANTS = 500;
const VARIANT_PROPERTIES = ['color', 'size', 'material', 'pattern'];

/**
 * Extracts the product of a page from schema.org or Open Graph; `undefined` where the page describes none, or
 * several.
 */
export function extractProduct(content: Content): Product | undefined {
  const products = itemsOf(content.structuredData).filter(({ '@type': type }) =>
    /^(?:ProductGroup|Product|IndividualProduct|ProductModel|Vehicle|Car)$/.test(String(type)),
  );
  const titles = new Set(products.map(({ name }) => readText(name)));
  const product = products.find(({ '@type': type }) => type === 'ProductGroup') ?? products[0];
  if (!product) return productFromOpenGraph(content);
  // Products with different names are a listing. A ProductGroup lists its variants itself.
  if (product['@type'] !== 'ProductGroup' && titles.size > 1) return undefined;
  const title = readText(product.name);
  if (title === undefined) return undefined;
  const { url } = content.snapshot;
  const productUrl = readUrls(product.url)[0];
  return {
    title,
    url: (productUrl && resolveUrl(productUrl, url)) || url,
    ...descriptiveTexts(product),
    variants: collectVariants(product, url).slice(0, MAX_VARIANTS),
  };
}

function descriptiveTexts({
  brand,
  category,
  description,
}: JsonLdItem): Pick<Product, 'brand' | 'category' | 'description'> {
  const text = { brand: readText(brand), category: readText(category), description: readText(description) };
  return {
    ...(text.brand && { brand: text.brand }),
    ...(text.category && { category: text.category }),
    ...(text.description && { description: text.description }),
  };
}

/** The declared variants of a product; without any, one for each offer. */
function collectVariants(product: JsonLdItem, url: string): Variant[] {
  const variants = readItems(product.hasVariant);
  if (variants.length > 0) return variants.flatMap((variant) => collectVariants(variant, url).slice(0, 1));
  return readOffers(product).map((offer) => createVariant(product, offer, url));
}

function createVariant(product: JsonLdItem, offer: JsonLdItem, url: string): Variant {
  const id = readText(product.productID) ?? readText(offer['@id']);
  const sku = readText(offer.sku) ?? readText(product.sku);
  const title = readText(offer.name) ?? readText(product.name);
  const written = readOfferPrice(offer);
  const price = parseMoney(written.price, written.priceCurrency);
  const values = VARIANT_PROPERTIES.flatMap((name) => {
    const value = readText(product[name]);
    return value === undefined ? [] : [[name, value]];
  });
  const images = readUrls(product.image).map((image) => ({ url: resolveUrl(image, url) ?? image }));
  return {
    ...(id && { id }),
    ...(sku && { sku }),
    ...(title && { title }),
    ...(values.length > 0 && { values: Object.fromEntries(values) }),
    ...(price && { price }),
    availability: readAvailability(offer.availability),
    ...(images.length > 0 && { images }),
  };
}

function productFromOpenGraph({
  structuredData: { openGraph },
  snapshot: { url },
}: Content): Product | undefined {
  const text = (name: string) => readText(openGraph[name]);
  const title = text('og:title');
  const price = parseMoney(
    text('product:price:amount') ?? text('og:price:amount'),
    text('product:price:currency') ?? text('og:price:currency'),
  );
  if (title === undefined || (!price && !/product/i.test(text('og:type') ?? ''))) return undefined;
  const image = text('og:image');
  const images = image ? { images: [{ url: resolveUrl(image, url) ?? image }] } : {};
  return {
    title,
    url: text('og:url') ?? url,
    ...descriptiveTexts({
      brand: text('product:brand'),
      category: text('product:category'),
      description: text('og:description'),
    }),
    variants: price
      ? [
          {
            price,
            availability: readAvailability(text('product:availability') ?? text('og:availability')),
            ...images,
          },
        ]
      : [],
  };
}
