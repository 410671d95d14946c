import type { Random } from './random.ts';

const WORDS =
  `harbour river engine garden letter museum printer bridge island signal market winter theatre kitchen
station mountain paper silver village window cotton lantern teacher compass archive forest bakery canal orchard glacier
railway festival workshop library meadow copper painter sailor chapel quarry mill weaver clock observatory ferry tunnel
café façade naïve Zürich Málaga smörgåsbord`.split(/\s+/);
const VERBS =
  `measured described crossed repaired followed collected opened carried mapped restored counted answered
painted delivered studied replaced tested planted recorded published compared explained`.split(/\s+/);
const JOINTS = ['while', 'because', 'although', 'before', 'after', 'where', 'so that', 'and'];
const ADJECTIVES =
  `old quiet northern careful early narrow bright public small remarkable seasonal wooden open late
ordinary complete steady famous`.split(/\s+/);

/** A phrase such as “the quiet harbour”. */
export const thing = (random: Random) => `the ${random.pick(ADJECTIVES)} ${random.pick(WORDS)}`;

/** A few words with a capital letter, as in a heading. */
export function headline(random: Random): string {
  const text = `${random.pick(ADJECTIVES)} ${random.pick(WORDS)} and ${thing(random)}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** One sentence of 12 to 30 words. */
export function sentence(random: Random): string {
  const clauses = Array.from(
    { length: 2 + random.whole(2) },
    () => `${thing(random)} ${random.pick(VERBS)} ${thing(random)}`,
  );
  const text = clauses.reduce((left, right) => `${left} ${random.pick(JOINTS)} ${right}`);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Several sentences in a row. */
export const sentences = (random: Random, count: number) =>
  Array.from({ length: count }, () => sentence(random)).join(' ');
