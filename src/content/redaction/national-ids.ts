import { validate as isCpf } from 'stdnum/lib/cjs/br/cpf.js';
import { validate as isSwissSsn } from 'stdnum/lib/cjs/ch/ssn.js';
import { validate as isChineseRic } from 'stdnum/lib/cjs/cn/ric.js';
import { validate as isIdnr } from 'stdnum/lib/cjs/de/idnr.js';
import { validate as isCpr } from 'stdnum/lib/cjs/dk/cpr.js';
import { validate as isDni } from 'stdnum/lib/cjs/es/dni.js';
import { validate as isNie } from 'stdnum/lib/cjs/es/nie.js';
import { validate as isHetu } from 'stdnum/lib/cjs/fi/hetu.js';
import { validate as isNir } from 'stdnum/lib/cjs/fr/nir.js';
import { validate as isNino } from 'stdnum/lib/cjs/gb/nino.js';
import { validate as isAadhaar } from 'stdnum/lib/cjs/in/aadhaar.js';
import { validate as isCodiceFiscale } from 'stdnum/lib/cjs/it/codicefiscale.js';
import { validate as isBsn } from 'stdnum/lib/cjs/nl/bsn.js';
import { validate as isFodselsnummer } from 'stdnum/lib/cjs/no/fodselsnummer.js';
import { validate as isPesel } from 'stdnum/lib/cjs/pl/pesel.js';
import { validate as isPortugueseNif } from 'stdnum/lib/cjs/pt/nif.js';
import { validate as isPersonnummer } from 'stdnum/lib/cjs/se/personnummer.js';
import { validate as isTckimlik } from 'stdnum/lib/cjs/tr/tckimlik.js';
import type { ValidateReturn } from 'stdnum/lib/cjs/types.js';
import { validate as isSsn } from 'stdnum/lib/cjs/us/ssn.js';
import type { NumberGroup } from './numbers.ts';

/** A number that a state gives to persons. */
interface NationalId {
  /** Its spelling. */
  shape: RegExp;
  validate(value: string): ValidateReturn;
  /**
   * What must be before it, in lower case. Only numbers that hardly anything else looks like have none: those
   * with two check digits, with a date and a check digit, or with punctuation of their own.
   */
  label?: RegExp;
}

/** The check digits of the Japanese number for individuals, which stdnum does not have. */
function isMyNumber(value: string): ValidateReturn {
  const digits = [...value.replace(/\D/g, '')].map(Number);
  const weights = [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2];
  const rest = weights.reduce((sum, weight, index) => sum + weight * digits[index]!, 0) % 11;
  const isValid = (rest <= 1 ? 0 : 11 - rest) === digits[11];
  return isValid ? { isValid, compact: digits.join(''), isIndividual: true, isCompany: false } : isIdnr('');
}

/** Numbers that begin with a digit. */
const NUMBERS: NationalId[] = [
  { shape: /^\d{3}-\d{2}-\d{4}$/, validate: isSsn },
  { shape: /^\d{3}[ ]?\d{2}[ ]?\d{4}$/, validate: isSsn, label: /\bssn\b|social security/ },
  { shape: /^\d{3}\.\d{3}\.\d{3}-\d{2}$/, validate: isCpf },
  { shape: /^\d{11}$/, validate: isCpf, label: /\bcpf\b/ },
  { shape: /^[12][ ]?\d{2}[ ]?\d{2}[ ]?\d{2}[ ]?\d{3}[ ]?\d{3}[ ]?\d{2}$/, validate: isNir },
  { shape: /^(?:\d{2}){0,1}\d{6}[-+]\d{4}$/, validate: isPersonnummer },
  { shape: /^(?:\d{8}|\d{6})\d{4}$/, validate: isPersonnummer, label: /personn(?:umme)?r|samordningsn/ },
  {
    shape: /^\d{2}[ ]?\d{3}[ ]?\d{3}[ ]?\d{3}$/,
    validate: isIdnr,
    label: /steuer|\bidnr|identifikationsn|\btin\b|tax id/,
  },
  { shape: /^\d{11}$/, validate: isPesel, label: /pesel/ },
  {
    shape: /^\d{3}[. ]?\d{2}[. ]?\d{4}$|^\d{4}[. ]?\d{2}[. ]?\d{3}$|^\d{3}[. ]?\d{3}[. ]?\d{3}$/,
    validate: isBsn,
    label: /\bbsn\b|burgerservice|sofi/,
  },
  {
    shape: /^\d{3}[ ]?\d{3}[ ]?\d{3}$/,
    validate: isPortugueseNif,
    label: /\bnif\b|contribuinte|n\.?i\.?f\.?/,
  },
  { shape: /^\d{4}[ -]?\d{4}[ -]?\d{4}$/, validate: isMyNumber, label: /マイナンバー|個人番号|my ?number/ },
  { shape: /^\d{4}[ -]?\d{4}[ -]?\d{4}$/, validate: isAadhaar, label: /aadhaar|आधार|\buid/ },
  { shape: /^756\.\d{4}\.\d{4}\.\d{2}$/, validate: isSwissSsn },
  { shape: /^\d{6}-\d{4}$/, validate: isCpr, label: /\bcpr/ },
  { shape: /^\d{6}[ ]?\d{5}$/, validate: isFodselsnummer, label: /f(?:ø|o)dselsn|personn|d-nummer/ },
  { shape: /^\d{11}$/, validate: isTckimlik, label: /t\.?\s?c\.?\s?|kimlik/ },
];

/** Numbers with letters, which are read from the beginning of their token. */
const TOKENS: NationalId[] = [
  { shape: /^\d{8}-?[A-HJ-NP-TV-Z]$/, validate: isDni },
  { shape: /^[XYZ]-?\d{7}-?[A-Z]$/, validate: isNie },
  { shape: /^[A-Z]{6}\d{2}[A-EHLMPR-T]\d{2}[A-Z]\d{3}[A-Z]$/, validate: isCodiceFiscale },
  { shape: /^[A-CEGHJ-PR-TW-Z]{2}\d{6}[A-D]$/, validate: isNino },
  { shape: /^\d{6}[-+A-FU-Y]\d{3}[\dA-FHJ-NPR-Y]$/, validate: isHetu },
  { shape: /^[1-9]\d{5}(?:19|20)\d{9}[\dX]$/, validate: isChineseRic },
];
const SPACED_NINO = /[A-CEGHJ-PR-TW-Z]{2} \d{2} \d{2} \d{2} [A-D]\b/y;
const SPACE = 32;
const DNI_WITH_DOTS = /^\d{1,2}\.\d{3}\.\d{3}-?[A-HJ-NP-TV-Z]$/;

/** Whether digits are a number that a state gives to persons, by its check digits. */
export const isNationalNumber = ({ text, before }: NumberGroup): boolean =>
  !/[\w./=&?-]$/.test(before) &&
  NUMBERS.some(
    ({ shape, validate, label }) =>
      shape.test(text) && (label === undefined || label.test(before)) && validate(text).isValid,
  );

/** Whether a token of letters and digits is a number that a state gives to persons. */
export const isNationalToken = (token: string): boolean =>
  TOKENS.some(({ shape, validate }) => shape.test(token) && validate(token).isValid) ||
  (DNI_WITH_DOTS.test(token) && isDni(token.replace(/[.]/g, '')).isValid);

/** Finds a British number with spaces. @returns the position after it, or 0 */
export function endOfSpacedNino(text: string, start: number): number {
  if (text.charCodeAt(start + 2) !== SPACE || start < 0) return 0;
  SPACED_NINO.lastIndex = start;
  const found = SPACED_NINO.exec(text)?.[0];
  return found !== undefined && isNino(found).isValid ? start + found.length : 0;
}
