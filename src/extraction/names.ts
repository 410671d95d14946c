/**
 * Names that mean the same in schemas, in schema.org and on pages, a line for each meaning. Beside English the labels
 * of shops, articles and recipes in other languages.
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

/** They say of what something is a part, not what it is. */
const GENERIC = new Set(
  'product item article page main the info detail job recipe event book post card value full entry'.split(
    ' ',
  ),
);

/** Whether a name only says that something is what the page is about, as `product` and `articleDetails` do. */
export const isGeneric = (name: string) => nameWords(name).every((word) => GENERIC.has(word));

/** Of plurals, for whoever names a list. */
const singular = (word: string) =>
  /^[a-z]{4,}$/.test(word) && /[^su]s$/.test(word) ? word.replace(/ies$/, 'y').replace(/s$/, '') : word;

const known = new Map<string, string[]>();
const MOST_KNOWN = 5_000;

/** The words of a name in camelCase, snake_case, kebab-case or prose: in lower case, in the singular, without accents. */
export function nameWords(name: string): string[] {
  const before = known.get(name);
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
  if (known.size < MOST_KNOWN) known.set(name, words);
  return words;
}

const MEANINGS = new Map(
  SYNONYMS.trim()
    .split('\n')
    .flatMap((line, meaning) => line.split('|').map((name) => [nameWords(name).join(' '), meaning])),
);

/** Whether a name stands for one of these meanings, each given by one of its names. */
export const means = (name: string, ...meanings: string[]) =>
  meanings.some((meaning) => meaningOf(nameWords(name)) === meaningOf(nameWords(meaning)));

/** What everything on a page has, down to the last link: it tells no kind of thing from another. */
export const isCommon = (name: string) => means(name, 'name', 'description', 'url', 'image');

function meaningOf(words: string[]): string | number {
  const joined = words.join(' ');
  return MEANINGS.get(joined) ?? joined;
}

/**
 * How well what a page calls `given` is what a schema calls `wanted`, from 0 to 1. A word more or less makes something
 * else of it, unless it is a generic one: a shipping price is not the price.
 */
export function similarity(wanted: string, given: string): number {
  const asked = nameWords(wanted);
  const said = nameWords(given);
  if (asked.length === 0 || said.length === 0) return 0;
  if (asked.join(' ') === said.join(' ')) return 1;
  if (meaningOf(asked) === meaningOf(said)) return 0.95;
  const telling = (words: string[]) => words.filter((word) => !GENERIC.has(word));
  const [bareAsked, bareSaid] = [telling(asked), telling(said)];
  if (bareAsked.length === 0 || bareSaid.length === 0) return 0;
  return meaningOf(bareAsked) === meaningOf(bareSaid) ? 0.85 : 0;
}
