import { type CountryCode, isValidPhoneNumber } from 'libphonenumber-js/max';
import { isOtherNumber, type NumberGroup } from './numbers.ts';

/** Words of telephone numbers in the languages of the countries that are known, before the number. */
const LABEL =
  /(?:\btel\b|tele[fp]\p{L}*|télé\p{L}*|teléf\p{L}*|phone|\bfono?|\btél|mobil\p{L}*|móvil|telemóvel|celular|cell\p{L}*|portable|handy|\bfax|\bcall|anruf\p{L}*|appele[rz]|llám\p{L}*|llam\p{L}*|chiam\p{L}*|ligue|\bbel\b|zadzwoń|dzwoń|\bring|whatsapp|\bsms\b|hotline|\bgsm\b|komórk\p{L}*|numer|\bph\b|☎|☏|📞|📱|電話|携帯|电话|전화|тел)[^\d\n]{0,24}$/u;
/** Digits that are grouped as telephone numbers are, and as hardly anything else is. */
const NORTH_AMERICAN = /^\(?[2-9]\d{2}\)?[-. ]{1,2}[2-9]\d{2}[-. ]\d{4}$/;
const TRUNK = /^\(?0\d/;
const GROUPED = /^\d{2,4}(?:[ -]\d{2,4}){2,4}$/;
/** Thousands, which telephone numbers of nine digits may look like. */
const THOUSANDS = /^\d{1,3}(?:\.\d{3})+$/;
const INTERNATIONAL = /^\(?(?:\+|00)/;

const MIN_DIGITS = 7;
const MAX_DIGITS = 15;
/** Digits of the shortest number that its label alone makes a telephone number. */
const MIN_LABELLED = 6;

/** Checks numbers by the plans of countries, up to a number of times, because each check takes long. */
export class PhoneNumbers {
  readonly #countries: CountryCode[];
  readonly #isAggressive: boolean;
  #checks = 0;

  constructor(countries: CountryCode[], isAggressive: boolean) {
    this.#countries = countries;
    this.#isAggressive = isAggressive;
  }

  /** Whether digits are a telephone number. */
  is(group: NumberGroup): boolean {
    const { text, digits, before } = group;
    if (digits.length < MIN_LABELLED || digits.length > MAX_DIGITS) return false;
    if (INTERNATIONAL.test(text)) return !/\w$/.test(before) && this.#isInternational(text);
    if (isOtherNumber(group)) return false;
    if (LABEL.test(before)) return true;
    if (digits.length < MIN_DIGITS || THOUSANDS.test(text)) return false;
    const isShaped = NORTH_AMERICAN.test(text) || TRUNK.test(text) || GROUPED.test(text);
    return (isShaped || this.#isAggressive) && this.#isNational(text);
  }

  /** After this many checks, the shape alone decides, so that a page cannot take more time. */
  #canCheck() {
    return ++this.#checks <= MAX_CHECKS;
  }

  #isInternational(text: string) {
    const number = text.replace(/^\(?(?:\+|00)/, '+').replace(/\(0\)/, '');
    return !this.#canCheck() || isValidPhoneNumber(number);
  }

  #isNational(text: string) {
    return !this.#canCheck() || this.#countries.some((country) => isValidPhoneNumber(text, country));
  }
}

const MAX_CHECKS = 3_000;

/** The extension behind a number. */
export const EXTENSION =
  /[,;]?\s?(?:ext\.?|extension|x|durchwahl|poste|anexo|int\.?|wew\.?)\s?\d{1,5}(?!\d)/iy;
