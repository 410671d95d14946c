/** What a question names, by which support recognises what it is about in a document. */
export interface Mentions {
  /** Texts that are hardly anywhere by chance: those in quotes, and numbers with letters or signs. */
  exact: string[];
  /** The other words that mean something on a page. */
  words: string[];
}

const MAX_MENTIONS = 20;
const QUOTED = /"([^"]{2,100})"|“([^”]{2,100})”|„([^“”]{2,100})[“”]|«([^»]{2,100})»|`([^`]{2,100})`/g;
/**
 * Prices, telephone numbers, dates and names such as `AB-12`. Each begins where a number or a word does, so that
 * long ones are not read again from each of their characters.
 */
const CODES =
  /(?:[€$£]\s?\d[\d.,]*)|(?<!\d)\d[\d.,]{0,40}\s?(?:[€$£%]|EUR\b|USD\b|GBP\b|CHF\b)|(?<![\p{L}\d_])[\p{L}\d]+(?:[-/.:]\d[\p{L}\d]*)+(?![\p{L}\d_])/gu;
const URLS = /https?:\/\/\S+/gi;
/** Words of questions, of the API and of web pages in general. None of them says what a page is about. */
const GENERAL = new Set(
  `a about above account actual actually after all also always am an and another any anything api are as ask asked at
back bad base64 batch be because been before below both broken browser but by cache cached call can cannot certificate
change changed code come comes complete content contents copy could crawl crawler data delivered did different do
document documents does done don't else empty end entire error errors even every everything expect expected fail failed
fails few field fields file files find finds first following for format formats found from full gave get gets getting
give given gives go gone good got had half happen happened has have help here how html http https i id if image images
in incomplete instead into is isn't it its job json just know lack lacks last less like link links list little long
look main make many markdown may me mean missing mode more most much my need needed new next no none not nothing now of
off ok old on once one only option options or other our out outdated output over own page pages parameter part parts
placeholder please problem proper put read real reason removed request requested response result results return returned
returns right same says scrape scraped scraper screenshot second section see seem seems send sent should show showed
shows site slow so some something stale still stop stopped such summary sure text than that the their them then there
these they thing things this those though through time timeout to today too tried try two update updated url urls us
use used user using version wait want wanted was way we website well went were what when where which while whole why
will with without word words work worked works would wrong yesterday yet you your
english german french spanish italian dutch polish portuguese russian chinese japanese korean language`.split(
    /\s+/,
  ),
);

/** Finds what a question names. */
export function mentionsOf(question: string): Mentions {
  const text = question.replace(URLS, ' ');
  const quoted = [...text.matchAll(QUOTED)].flatMap((match) => match.slice(1).filter(Boolean));
  const exact = [...new Set([...quoted, ...(text.match(CODES) ?? [])].map((each) => each.trim()))];
  const words = text
    .replace(QUOTED, ' ')
    .replace(CODES, ' ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}']+/u)
    .filter((word) => word.length > 2 && !/\d/.test(word) && !GENERAL.has(word));
  return {
    exact: exact.slice(0, MAX_MENTIONS),
    words: [...new Set(words)].slice(0, MAX_MENTIONS),
  };
}

/** The mentions that a text has, in any case. */
export function mentionsIn(text: string, { exact, words }: Mentions): string[] {
  const lower = text.toLowerCase();
  const all = new Set(lower.split(/[^\p{L}\p{N}']+/u));
  return [
    ...exact.filter((each) => lower.includes(each.toLowerCase())),
    ...words.filter((each) => all.has(each)),
  ];
}
