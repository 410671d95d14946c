/** Addresses are found from their house number, so that text without numbers costs nothing. */

/** A name in an address: a word with a capital letter. */
const NAME = "(?:St\\.|\\p{Lu}[\\p{L}'’-]*)";
/** Particles within names of streets. */
const PARTICLE =
  "(?:d[eouai]s?|del|della|dell[eo]|dei|degli|dal|la|le|les|l['’]|el|los|las|e|y|et|von|van|der|den|dem|du|des|à|aux?|sur|zum|zur|am|im|an|ten|ter|het|of|the|i|im\\.)";

/** Words at the end of names of streets in German, Dutch and the languages of Scandinavia. */
const SUFFIX =
  /(?:stra(?:ß|ss)e|str\.|gasse|allee|weg|platz|damm|ufer|ring|chaussee|markt|graben|stieg|steig|pfad|promenade|straat|laan|plein|gracht|kade|singel|dijk|steeg|hof|gatan|gata|vägen|väg|gränd|torget|stigen|allén|vej|gade|vejen|katu|tie|gate|gaten|veien)$/iu;
/** Words before the name of a street in Romance, Slavic and Turkic languages, in lower case. */
const PREFIXES = new Set(
  'calle c/ avenida avda. avda av. av plaza pza. paseo pº camino carrera ronda travesía carretera callejón glorieta via viale v.le piazza p.zza corso vicolo largo strada lungotevere rua travessa praça alameda estrada r. rodovia ul. al. pl. os. ulica aleja plac osiedle ул. улица пр. проспект пер. бульвар rue avenue boulevard bd chemin impasse allée quai place cours route'.split(
    ' ',
  ),
);
/** Words behind the number in French. */
const FRENCH =
  /\d{1,4}(?:\s?(?:bis|ter|quater|[A-D]))?,?\s(?:rue|avenue|av\.|boulevard|bd\.?|blvd|place|pl\.|allées?|chemin|impasse|quai|cours|route|square|passage|faubourg|villa|cité|rond-point|sentier|esplanade)(?:\s(?:de|du|des|la|le|les|à|aux?|sur|sous|et|en)|\s?[dl]['’])*\s?(?:\p{Lu}[\p{L}'’.-]*|\d{1,2}(?=\s\p{L}))(?:(?:\s(?:de|du|des|la|le|les|et)|\s[dl]['’])*[\s-]?\p{Lu}[\p{L}'’.-]*){0,4}/uy;
const ENGLISH =
  /\d{1,5}[A-Za-z]?(?:\s?[-–/]\s?\d{1,5}[A-Za-z]?)?,?\s(?:(?:N|S|E|W|NE|NW|SE|SW|North|South|East|West)\.?\s)?(?:(?:\p{Lu}[\p{L}'’.-]*|\d{1,3}(?:st|nd|rd|th)|St\.?)\s){1,4}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Court|Ct|Square|Sq|Boulevard|Blvd|Way|Place|Pl|Terrace|Close|Crescent|Parkway|Pkwy|Highway|Hwy|Gardens|Grove|Mews|Row|Hill|Circle|Cir|Trail|Walk|Wharf|Quay|Mall|Broadway|Embankment|Plaza|Loop|Alley)\b\.?(?!\s(?:of|in)\s\d)/uy;
const BROADWAY = /\d{1,5}\s(?:Broadway|Piccadilly|Whitehall|Strand|The Mall|Pall Mall|Park Lane)\b/y;
/** The rest of a house number, and of one that a word such as `No` introduces. */
const HOUSE = /\d{1,5}(?:\s?[-–/]\s?\d{1,5})?(?:\s?[a-zA-Z](?![\p{L}\d]))?(?:\/\d{1,4})?/uy;
const LINK = `(?:\\s*,\\s*|\\s+[·|–-]\\s+|\\s*\\n\\s*|\\s+)`;
/** Floor and flat, then post code and town in the order of most countries, of the US or of the UK. */
const REST = new RegExp(
  `(?:\\s(?:N|S|E|W|NE|NW|SE|SW)\\b)?(?:,?\\s(?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|Fl|App|Appt|Wohnung|Piso|piso|Int|int|lok|m|lgh|кв|Etage|Stock|andar|apto)\\.?\\s?#?[\\dA-Z][\\w-]{0,5}|,?\\s#\\d{1,5}[A-Z]?|,?\\s\\d{1,2}[ºª°](?:\\s?[A-Z](?![\\p{L}]))?)?` +
    `(?:${LINK}(?:[A-Z]{1,2}-)?(?:\\d{2}-\\d{3}|\\d{5}-\\d{3}|\\d{4}-\\d{3}|\\d{3}\\s\\d{2}|\\d{4}\\s?[A-Z]{2}|\\d{4,5})\\s+${NAME}(?:[ -](?:${PARTICLE}[ -])?${NAME}){0,3}` +
    `|(?:${LINK}${NAME}(?:\\s${NAME}){0,2})?(?:,\\s?|\\s)(?:[A-Z]{2}\\s\\d{5}(?:-\\d{4})?|[A-Z]{1,2}\\d[A-Z\\d]?\\s\\d[A-Z]{2})(?![\\p{L}\\d]))?`,
  'uy',
);
/** Prefecture, city and district before the number of a block in Japanese, and the number. */
const JAPANESE_BEFORE =
  /(?:〒\s?\d{3}-\d{4}\s*)?(?:\p{scx=Han}{2,3}[都道府県])?(?:[\p{scx=Han}\p{scx=Katakana}\p{scx=Hiragana}]{1,7}[市区郡町村])+[\p{scx=Han}\p{scx=Katakana}\p{scx=Hiragana}]{0,12}$/u;
const JAPANESE_NUMBER =
  /\d{1,4}(?:(?:丁目|番地?|号|[-−‐ー–])\d{0,4}){1,4}(?:号)?(?:\s?[\p{scx=Katakana}\p{scx=Han}]{2,16}(?:ビル|マンション|タワー|ハイツ|荘)(?:\s?\d{1,4}(?:号室|階|F))?)?/uy;
const POST_CODE_JP =
  /\d{3}-\d{4}(?:\s?[\p{scx=Han}\p{scx=Katakana}\p{scx=Hiragana}]{4,30}\d{1,4}(?:(?:丁目|番地?|号|[-−‐ー–])\d{0,4}){0,4})?/uy;

const WINDOW = 70;
const MAX_WORDS = 7;

/** A range of characters. */
interface Range {
  start: number;
  end: number;
}

const endAt = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : 0;
};

/**
 * Finds the postal address that a house number is in.
 * @param at the first digit of the number
 * @param from where the address may begin at the earliest
 */
export function findStreetAddress(text: string, at: number, from: number): Range | undefined {
  const before = text.charCodeAt(at - 1);
  if (before > 0x2e80) return findJapanese(text, at, from);
  const range = findByFollowing(text, at) ?? findByPreceding(text, at, from);
  return range && { start: range.start, end: endAt(REST, text, range.end) || range.end };
}

/** Finds an address whose number comes first. */
function findByFollowing(text: string, at: number): Range | undefined {
  const end = endAt(ENGLISH, text, at) || endAt(FRENCH, text, at) || endAt(BROADWAY, text, at);
  return end ? { start: at, end } : undefined;
}

/** Finds an address whose number comes last, by the words before it. */
function findByPreceding(text: string, at: number, from: number): Range | undefined {
  if (!isAfterName(text, at)) return undefined;
  const window = text.slice(Math.max(from, at - WINDOW), at);
  const line = window.slice(window.lastIndexOf('\n') + 1);
  const name = line.replace(/(?:[,\s]+(?:n[.º°o]{1,2}|nº|no:?|nr\.?|núm\.?|д\.?|dom|№))?[,\s]*$/iu, '');
  if (name === line) return undefined;
  const length = lengthOfStreet(name);
  const end = length ? endAt(HOUSE, text, at) : 0;
  if (!end) return undefined;
  return { start: at - line.length + name.length - length, end };
}

/** The words that may be between the name of a street and its number begin with one of these letters. */
const NUMBER_WORD = /^(?:n|nº|no|nr|núm|dom|д)$/;

/** Whether the word before a number may be of an address; most numbers in a text have another one. */
function isAfterName(text: string, at: number): boolean {
  let end = at;
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end--;
  if (end === at) return false;
  let start = end;
  while (start > 0 && end - start < MAX_NAME && !isBlank(text.charCodeAt(start - 1))) start--;
  const first = text.charCodeAt(start);
  const isLowerCase = first >= 97 && first <= 122;
  return !isLowerCase || NUMBER_WORD.test(text.slice(start, end)) || text.charCodeAt(start + 1) === SLASH;
}

const MAX_NAME = 40;
const SLASH = 47;
/** White space, commas, and the dots and signs behind a word for numbers. */
const isBlank = (code: number) =>
  code === 32 ||
  code === 44 ||
  code === 46 ||
  code === 0xa0 ||
  code === 0xba ||
  code === 0xb0 ||
  code === 58 ||
  code === 10;

/** Returns how many characters at the end of a text are the name of a street; 0 if none are. */
function lengthOfStreet(text: string): number {
  const words = text.split(/(?<=\s)/).slice(-MAX_WORDS);
  const last = words.at(-1) ?? '';
  if (SUFFIX.test(last) && /^["'(«„]?\p{Lu}/u.test(last)) return last.length + lengthOfNames(words, last);
  let length = 0;
  for (const word of words.toReversed()) {
    length += word.length;
    const bare = word.trim().replace(/^[("'«]/, '');
    if (PREFIXES.has(bare.toLowerCase()))
      return length > word.length ? length - (word.trim().length - bare.length) : 0;
    if (/^c\/\p{L}/iu.test(bare)) return length;
    if (!/^\p{Lu}/u.test(bare) && !PARTICLES.test(bare) && !/^\d{1,4}\.?$/.test(bare)) return 0;
  }
  return 0;
}

const PARTICLES = new RegExp(`^${PARTICLE}$`, 'u');
/** Ends of streets that are words of their own, so that a name is before them. */
const WHOLE_SUFFIX =
  /^(?:stra(?:ß|ss)e|str\.|gasse|allee|weg|platz|damm|ufer|ring|markt|chaussee|promenade|straat|laan|plein|gracht|kade|singel|dijk|vägen|gatan|gade|vej|gate)$/iu;

/** The characters of names before the last word of a street, such as `Lange` in `Lange Straße`. */
function lengthOfNames(words: string[], last: string): number {
  if (!WHOLE_SUFFIX.test(last.trim())) return 0;
  let length = 0;
  for (const word of words.slice(0, -1).toReversed().slice(0, 2)) {
    if (!/^\p{Lu}[\p{L}.'’-]*\s$/u.test(word)) break;
    length += word.length;
  }
  return length;
}

function findJapanese(text: string, at: number, from: number): Range | undefined {
  if (text.charAt(at - 1) === '〒') {
    const end = endAt(POST_CODE_JP, text, at);
    return end ? { start: at - 1, end } : undefined;
  }
  const before = JAPANESE_BEFORE.exec(text.slice(Math.max(from, at - 40), at))?.[0];
  const end = before ? endAt(JAPANESE_NUMBER, text, at) : 0;
  return before && end ? { start: at - before.length, end } : undefined;
}
