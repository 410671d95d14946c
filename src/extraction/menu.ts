import { resolve } from '../html/address.ts';
import type { Content } from '../html/content.ts';
import type { Item } from '../html/json-ld.ts';
import { itemsOf } from '../html/structured-data.ts';
import { type Money, moneyOf } from './money.ts';
import { addressesIn, availabilityOf, textIn, thingsIn } from './things.ts';

/** A dish or drink. */
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

/** What a place serves, as its page describes it for machines. */
export interface Menu {
  isMenu: true;
  confidence: number;
  merchant: { name: string; type?: string; location?: string };
  currency?: string;
  sections: { id: string; name: string; description?: string; items: MenuItem[] }[];
  sourceUrl: string;
}

const PLACES =
  /^(?:Restaurant|FoodEstablishment|CafeOrCoffeeShop|BarOrPub|Bakery|FastFoodRestaurant|IceCreamShop|Winery|Brewery|LocalBusiness)$/;
const MOST_DEPTH = 4;
const MOST_ITEMS = 2_000;

/** The menu of a page by schema.org; `undefined` where the page describes none. */
export function menuOf({ structuredData, metadata, snapshot: { url } }: Content): Menu | undefined {
  const items = itemsOf(structuredData);
  const place = items.find(
    ({ '@type': type, hasMenu, menu }) => PLACES.test(String(type)) && (hasMenu ?? menu),
  );
  const menus = [
    ...thingsIn(place?.hasMenu ?? place?.menu),
    ...items.filter(({ '@type': type }) => type === 'Menu'),
  ];
  const budget = { items: MOST_ITEMS };
  const sections = menus
    .slice(0, 1)
    .flatMap((menu) => sectionsOf(menu, textIn(menu.name) ?? 'Menu', { url, budget }, 0))
    .map((section, at) => ({ ...section, id: `section-${at + 1}` }));
  if (sections.length === 0) return undefined;
  const currency = sections.flatMap((section) => section.items).find(({ price }) => price?.currency)
    ?.price?.currency;
  const merchant = place ?? items.find(({ '@type': type }) => PLACES.test(String(type)));
  const location = addressText(merchant?.address);
  return {
    isMenu: true,
    // The page itself says that it is one.
    confidence: 1,
    merchant: {
      name: textIn(merchant?.name) ?? String(metadata.ogSiteName ?? metadata.title ?? new URL(url).hostname),
      ...(merchant && { type: String(merchant['@type']) }),
      ...(location && { location }),
    },
    ...(currency && { currency }),
    sections,
    sourceUrl: url,
  };
}

interface Ground {
  url: string;
  budget: { items: number };
}

/** The sections of a menu, inner ones behind the outer; what stands outside of any is a section of the menu's name. */
function sectionsOf(
  menu: Item,
  name: string,
  ground: Ground,
  depth: number,
): Omit<Menu['sections'][number], 'id'>[] {
  if (depth > MOST_DEPTH) return [];
  const items = thingsIn(menu.hasMenuItem).flatMap((item) => itemOf(item, ground) ?? []);
  const description = textIn(menu.description);
  const own = items.length > 0 ? [{ name, ...(description && { description }), items }] : [];
  const inner = thingsIn(menu.hasMenuSection).flatMap((section) =>
    sectionsOf(section, textIn(section.name) ?? name, ground, depth + 1),
  );
  return [...own, ...inner];
}

function itemOf(item: Item, { url, budget }: Ground): MenuItem | undefined {
  const name = textIn(item.name);
  if (name === undefined || budget.items-- <= 0) return undefined;
  const [offer = {}] = thingsIn(item.offers);
  const price = moneyOf(offer.price, offer.priceCurrency);
  const description = textIn(item.description);
  const [nutrition = {}] = thingsIn(item.nutrition);
  const calories = moneyOf(textIn(nutrition.calories), undefined)?.amount;
  return {
    id: `item-${MOST_ITEMS - budget.items}`,
    name,
    ...(description && { description }),
    images: addressesIn(item.image).map((image) => resolve(image, url) ?? image),
    ...(price && { price }),
    availability: availabilityOf(offer.availability),
    dietary: [item.suitableForDiet].flat().flatMap((diet) => textIn(diet)?.split('/').at(-1) ?? []),
    ...(calories !== undefined && { calories }),
    optionGroups: [],
    sourceUrl: url,
  };
}

function addressText(address: unknown): string | undefined {
  const [place] = thingsIn(address);
  if (!place) return textIn(address);
  const parts = [place.streetAddress, place.postalCode, place.addressLocality, place.addressCountry];
  return parts.flatMap((part) => textIn(part) ?? []).join(', ') || undefined;
}
