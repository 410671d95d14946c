/** What an answer to a question has in it. */
export interface QuestionKind {
  /** How the question is asked. */
  asked: RegExp;
  /** What an answer shows. */
  shown: RegExp;
  /** Words that stand with such answers, as `wordsOf` writes them. */
  words: string[];
}

const MONTHS =
  'jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|janv|févr|avr|juin|juil|août|déc|ene|abr|ago|dic|gen|mag|giu|lug|set|ott';

/** The kinds that can be told without understanding the question. */
const KINDS: QuestionKind[] = [
  {
    asked:
      /how much|price|cost|what does .+ cost|wie ?viel kostet|was kostet|preis|kosten|prix|coûte|combien coût|precio|cuesta|prezzo|costa|preço|custa|いくら|价格|多少钱/iu,
    shown: /\p{Sc}\s?\d|\d\s?\p{Sc}|\d\s?(?:USD|EUR|GBP|CHF|JPY|euros?|dollars?|円|元)/iu,
    words: [
      'price',
      'cost',
      'costs',
      'preis',
      'kosten',
      'kostet',
      'prix',
      'precio',
      'prezzo',
      'preco',
      '价格',
      '価格',
    ],
  },
  {
    asked:
      /^when\b|what (?:date|year|time|day)|^wann\b|welche[ms]? (?:jahr|datum|tag)|^quand\b|^cuándo|^quando\b|何時|いつ|什么时候/iu,
    shown: new RegExp(
      `\\b(?:1\\d|20)\\d\\d\\b|\\d{1,2}[./]\\d{1,2}[./]|\\d{1,2}:\\d\\d|\\b(?:${MONTHS})|年|月`,
      'iu',
    ),
    words: [],
  },
  {
    asked:
      /how (?:many|long|far|tall|big|old|high|heavy|large|fast)|wie (?:viele?|lange?|weit|hoch|groß|alt|schwer|schnell)\b|combien|cuánt|quant[oiae]\b|何人|几|多少/iu,
    shown: /\p{N}/u,
    words: [],
  },
  {
    asked: /^who(?:se|m)?\b|^wer\b|^wem\b|^qui\b|^quién|^chi\b|^quem\b|誰|谁/iu,
    shown: /\p{Lu}\p{Ll}+ (?:(?:von|van|de|da|di|del) )?\p{Lu}\p{Ll}+/u,
    words: [],
  },
];

/** The kind of a question; `undefined` for one that may be answered by anything. */
export const kindOfQuestion = (question: string): QuestionKind | undefined =>
  KINDS.find(({ asked }) => asked.test(question.trim()));
