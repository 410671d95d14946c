/**
 * Synonyms used in schemas, in schema.org and on pages, one line for each meaning. Labels of shops, articles
 * and recipes are included in several languages.
 */
const SYNONYMS = `
name|title|headline|heading|product name|titel|titre|titulo|titolo|nombre|nom|bezeichnung
description|summary|abstract|excerpt|about|overview|beschreibung|descripcion|descrizione
image|image url|picture|photo|thumbnail|thumbnail url|cover|bild|imagen
url|link|href|permalink|canonical|website|page url
author|creator|byline|writer|written by|autor|auteur|autore|author name
date published|published at|publish date|publication date|published|published time|published on|published date|publishing date|date|date posted|posted on|upload date|veroffentlicht|erschienen
date modified|updated at|modified time|last updated|last modified|updated|update date
price|amount|cost|low price|current price|unit price|price amount|preis|prix|precio|prezzo|preco
high price|highest price|max price|maximum price|price max
has variant|variant|product variant
price currency|currency|currency code|salary currency|wahrung|devise
availability|stock|in stock|stock status|is in stock|is available|available|verfugbarkeit|disponibilite
rating value|rating|star|average rating|score|bewertung
review count|rating count|number of review|num review|total review
brand|brand name|manufacturer|maker|marke|marque|marca|hersteller
sku|article number|item number|product id|part number|artikelnummer
gtin|gtin13|gtin8|gtin12|gtin14|ean|upc|barcode
telephone|phone|phone number|tel|telefon
email|mail|e mail|email address
address|street address|adresse|direccion|indirizzo
address locality|city|town
address region|state|province|region
postal code|zip|zip code|postcode|plz
address country|country
salary|base salary|pay|compensation|gehalt
hiring organization|company|employer|company name|organization
employment type|job type
category|section|article section|genre|product category|kategorie|rubrik
keyword|tag|article tag|topic
in language|language|locale
start date|start|start at|begin|start time|beginn
end date|end|end at|end time|ende
recipe ingredient|ingredient|zutaten|ingredienti
recipe instruction|instruction|step|direction|method|zubereitung
recipe yield|serving|yield|serve|portion|portionen
article body|content|body|text|review body
publisher|site name|herausgeber
weight|gewicht|poid|peso
color|colour|farbe|couleur
size|grosse|taille|talla
`;

/** Words that name the container of a value instead of the value. */
const GENERIC_WORDS = new Set(
  'product item article page main the info detail job recipe event book post card value full entry'.split(
    ' ',
  ),
);

/** Whether a name only refers to the subject of the page, as `product` and `articleDetails` do. */
export const isGenericName = (name: string) => nameWords(name).every((word) => GENERIC_WORDS.has(word));

/** The singular of an English plural, because schemas name lists in the plural. */
const singular = (word: string) =>
  /^[a-z]{4,}$/.test(word) && /[^su]s$/.test(word) ? word.replace(/ies$/, 'y').replace(/s$/, '') : word;

const wordCache = new Map<string, string[]>();
const MAX_CACHED = 5_000;

/**
 * Splits a name in camelCase, snake_case, kebab-case or prose into words: lower case, singular, without
 * accents.
 */
export function nameWords(name: string): string[] {
  const before = wordCache.get(name);
  if (before) return before;
  const words = name
    .slice(0, 200)
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map(singular);
  if (wordCache.size < MAX_CACHED) wordCache.set(name, words);
  return words;
}

const MEANINGS = new Map(
  SYNONYMS.trim()
    .split('\n')
    .flatMap((line, meaning) => line.split('|').map((name) => [nameWords(name).join(' '), meaning])),
);

/** Whether a name is a synonym of one of the given names. */
export const hasMeaning = (name: string, ...meanings: string[]) =>
  meanings.some((meaning) => meaningOf(nameWords(name)) === meaningOf(nameWords(meaning)));

/** Whether a property is common to all kinds of items, so it does not tell one kind from another. */
export const isCommonName = (name: string) => hasMeaning(name, 'name', 'description', 'url', 'image');

function meaningOf(words: string[]): string | number {
  const joined = words.join(' ');
  return MEANINGS.get(joined) ?? joined;
}

/**
 * Rates from 0 to 1 how well the name `given` on a page fits the name `wanted` in a schema. An additional
 * word makes it a different property unless the word is generic: a shipping price is not the price.
 */
export function nameSimilarity(wanted: string, given: string): number {
  const wantedWords = nameWords(wanted);
  const text = nameWords(given);
  if (wantedWords.length === 0 || text.length === 0) return 0;
  if (wantedWords.join(' ') === text.join(' ')) return 1;
  if (meaningOf(wantedWords) === meaningOf(text)) return 0.95;
  const telling = (words: string[]) => words.filter((word) => !GENERIC_WORDS.has(word));
  const [bareAsked, bareSaid] = [telling(wantedWords), telling(text)];
  if (bareAsked.length === 0 || bareSaid.length === 0) return 0;
  return meaningOf(bareAsked) === meaningOf(bareSaid) ? 0.85 : 0;
}
