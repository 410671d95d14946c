import type { Content } from '../html/content.ts';
import type { JsonLdItem } from '../html/structured-data/json-ld.ts';
import { itemsOf } from '../html/structured-data/structured-data.ts';
import { resolveUrl } from '../html/urls.ts';
import { readAvailability, readItems, readText, readUrls } from './schema-org.ts';
import { type Money, parseMoney } from './values/money.ts';

/** A dish or drink on a menu. */
interface MenuItem {
  id: string;
  name: string;
  description?: string;
  images: string[];
  price?: Money;
  availability: { inStock: boolean; text?: string };
  dietary: string[];
  calories?: number;
  optionGroups: unknown[];
  sourceUrl: string;
}

/** A restaurant's menu from structured data. */
export interface Menu {
  isMenu: true;
  confidence: number;
  merchant: { name: string; type?: string; location?: string };
  currency?: string;
  sections: { id: string; name: string; description?: string; items: MenuItem[] }[];
  sourceUrl: string;
}

const FOOD_PLACE_TYPES =
  /^(?:Restaurant|FoodEstablishment|CafeOrCoffeeShop|BarOrPub|Bakery|FastFoodRestaurant|IceCreamShop|Winery|Brewery|LocalBusiness)$/;
const MAX_DEPTH = 4;
const MAX_ITEMS = 2_000;

/** Extracts the menu of a page from schema.org data; `undefined` where the page describes none. */
export function extractMenu({ structuredData, metadata, snapshot: { url } }: Content): Menu | undefined {
  const items = itemsOf(structuredData);
  const place = items.find(
    ({ '@type': type, hasMenu, menu }) => FOOD_PLACE_TYPES.test(String(type)) && (hasMenu ?? menu),
  );
  const menus = [
    ...readItems(place?.hasMenu ?? place?.menu),
    ...items.filter(({ '@type': type }) => type === 'Menu'),
  ];
  const budget = { items: MAX_ITEMS };
  const sections = menus
    .slice(0, 1)
    .flatMap((menu) => collectSections(menu, readText(menu.name) ?? 'Menu', { url, budget }, 0))
    .map((section, at) => ({ ...section, id: `section-${at + 1}` }));
  if (sections.length === 0) return undefined;
  const currency = sections.flatMap((section) => section.items).find(({ price }) => price?.currency)
    ?.price?.currency;
  const merchant = place ?? items.find(({ '@type': type }) => FOOD_PLACE_TYPES.test(String(type)));
  const location = postalAddressText(merchant?.address);
  return {
    isMenu: true,
    // The page declares it as a menu, so there is no doubt.
    confidence: 1,
    merchant: {
      name:
        readText(merchant?.name) ?? String(metadata.ogSiteName ?? metadata.title ?? new URL(url).hostname),
      ...(merchant && { type: String(merchant['@type']) }),
      ...(location && { location }),
    },
    ...(currency && { currency }),
    sections,
    sourceUrl: url,
  };
}

interface MenuContext {
  url: string;
  budget: { items: number };
}

/**
 * The sections of a menu, nested ones after their parents. Items outside any section form one with the menu's
 * name.
 */
function collectSections(
  menu: JsonLdItem,
  name: string,
  context: MenuContext,
  depth: number,
): Omit<Menu['sections'][number], 'id'>[] {
  if (depth > MAX_DEPTH) return [];
  const items = readItems(menu.hasMenuItem).flatMap((item) => createMenuItem(item, context) ?? []);
  const description = readText(menu.description);
  const own = items.length > 0 ? [{ name, ...(description && { description }), items }] : [];
  const inner = readItems(menu.hasMenuSection).flatMap((section) =>
    collectSections(section, readText(section.name) ?? name, context, depth + 1),
  );
  return [...own, ...inner];
}

function createMenuItem(item: JsonLdItem, { url, budget }: MenuContext): MenuItem | undefined {
  const name = readText(item.name);
  if (name === undefined || budget.items-- <= 0) return undefined;
  const [offer = {}] = readItems(item.offers);
  const price = parseMoney(offer.price, offer.priceCurrency);
  const description = readText(item.description);
  const [nutrition = {}] = readItems(item.nutrition);
  const calories = parseMoney(readText(nutrition.calories), undefined)?.amount;
  return {
    id: `item-${MAX_ITEMS - budget.items}`,
    name,
    ...(description && { description }),
    images: readUrls(item.image).map((image) => resolveUrl(image, url) ?? image),
    ...(price && { price }),
    availability: readAvailability(offer.availability),
    dietary: [item.suitableForDiet].flat().flatMap((diet) => readText(diet)?.split('/').at(-1) ?? []),
    ...(calories !== undefined && { calories }),
    optionGroups: [],
    sourceUrl: url,
  };
}

function postalAddressText(address: unknown): string | undefined {
  const [place] = readItems(address);
  if (!place) return readText(address);
  const parts = [place.streetAddress, place.postalCode, place.addressLocality, place.addressCountry];
  return parts.flatMap((part) => readText(part) ?? []).join(', ') || undefined;
}
