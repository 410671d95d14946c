/** A kind of question, and how its answers look. */
export interface QuestionKind {
  /** Matches questions of this kind. */
  questionPattern: RegExp;
  /** Matches passages that can answer it. */
  answerPattern: RegExp;
  /** Words that often accompany such answers, as `tokenizeWords` returns them. */
  words: string[];
}

const MONTHS =
  'jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|janv|févr|avr|juin|juil|août|déc|ene|abr|ago|dic|gen|mag|giu|lug|set|ott';

/** The kinds that can be recognised by pattern. */
const KINDS: QuestionKind[] = [
  {
    questionPattern:
      /how much|price|cost|what does .+ cost|wie ?viel kostet|was kostet|preis|kosten|prix|coûte|combien coût|precio|cuesta|prezzo|costa|preço|custa|いくら|价格|多少钱/iu,
    answerPattern: /\p{Sc}\s?\d|\d\s?\p{Sc}|\d\s?(?:USD|EUR|GBP|CHF|JPY|euros?|dollars?|円|元)/iu,
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
    questionPattern:
      /^when\b|what (?:date|year|time|day)|^wann\b|welche[ms]? (?:jahr|datum|tag)|^quand\b|^cuándo|^quando\b|何時|いつ|什么时候/iu,
    answerPattern: new RegExp(
      `\\b(?:1\\d|20)\\d\\d\\b|\\d{1,2}[./]\\d{1,2}[./]|\\d{1,2}:\\d\\d|\\b(?:${MONTHS})|年|月`,
      'iu',
    ),
    words: [],
  },
  {
    questionPattern:
      /how (?:many|long|far|tall|big|old|high|heavy|large|fast)|wie (?:viele?|lange?|weit|hoch|groß|alt|schwer|schnell)\b|combien|cuánt|quant[oiae]\b|何人|几|多少/iu,
    answerPattern: /\p{N}/u,
    words: [],
  },
  {
    questionPattern: /^who(?:se|m)?\b|^wer\b|^wem\b|^qui\b|^quién|^chi\b|^quem\b|誰|谁/iu,
    answerPattern: /\p{Lu}\p{Ll}+ (?:(?:von|van|de|da|di|del) )?\p{Lu}\p{Ll}+/u,
    words: [],
  },
];

/** Classifies a question; `undefined` for one without a recognisable kind. */
export const classifyQuestion = (question: string): QuestionKind | undefined =>
  KINDS.find(({ questionPattern }) => questionPattern.test(question.trim()));
