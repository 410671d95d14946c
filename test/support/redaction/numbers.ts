import type { Random } from '../../site/random.ts';

/**
 * Numbers with check digits for texts, as the rules of their makers say. They do not use the library that the
 * service checks numbers with.
 */

const digitsOf = (random: Random, count: number) =>
  Array.from({ length: count }, () => random.whole(10)).join('');

/** Appends the check digit by Luhn. */
function withLuhn(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return digits + ((10 - (sum % 10)) % 10);
}

const weighted = (digits: string, weights: number[]) =>
  weights.reduce((sum, weight, index) => sum + weight * Number(digits[index]), 0);

const inFours = (text: string, separator: string) => text.match(/.{1,4}/g)!.join(separator);

const CARDS: Record<string, [prefix: string, length: number]> = {
  visa: ['4', 16],
  mastercard: ['53', 16],
  amex: ['37', 15],
  jcb: ['3530', 16],
};

function card(random: Random, brand: string, separator: string): string {
  const [prefix, length] = CARDS[brand]!;
  const number = withLuhn(prefix + digitsOf(random, length - 1 - prefix.length));
  if (length !== 15) return inFours(number, separator);
  return [number.slice(0, 4), number.slice(4, 10), number.slice(10)].join(separator);
}

/** The form of the national part: `n` for a digit, `a` for a letter. */
const IBANS: Record<string, string> = {
  DE: 'n18',
  AT: 'n16',
  CH: 'n17',
  GB: 'a4n14',
  IE: 'a4n14',
  FR: 'n23',
  BE: 'n12',
  ES: 'n20',
  IT: 'a1n22',
  SM: 'a1n22',
  PT: 'n21',
  NL: 'a4n10',
  PL: 'n24',
  SE: 'n20',
};

function iban(random: Random, country: string, separator: string): string {
  const national = [...IBANS[country]!.matchAll(/([an])(\d+)/g)]
    .map(([, type, count]) =>
      type === 'n'
        ? digitsOf(random, Number(count))
        : Array.from({ length: Number(count) }, () => String.fromCharCode(65 + random.whole(26))).join(''),
    )
    .join('');
  const number = [...`${national}${country}00`].map((each) => Number.parseInt(each, 36)).join('');
  const check = String(98n - (BigInt(number) % 97n)).padStart(2, '0');
  return inFours(country + check + national, separator);
}

const two = (value: number) => String(value).padStart(2, '0');
const IDENTITY_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE';

/** The values of odd places of an Italian fiscal code, of 0 to 9 and of A to Z. */
const ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21];
const ODD_LETTERS = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];

function fiscalCode(random: Random): string {
  const code = `BNCLRA${two(40 + random.whole(50))}${random.pick([...'ABCDEHLMPRST'])}${two(1 + random.whole(28))}H501`;
  const sum = [...code].reduce((total, each, index) => {
    const isDigit = /\d/.test(each);
    const value = isDigit ? Number(each) : each.charCodeAt(0) - 65;
    return total + (index % 2 === 1 ? value : (isDigit ? ODD : ODD_LETTERS)[value]!);
  }, 0);
  return code + String.fromCharCode(65 + (sum % 26));
}

/** Eleven digits of a German tax number: one digit twice, one not at all, and a check digit (ISO 7064). */
function taxId(random: Random): string {
  const order = [...'123456789'].sort(() => random.whole(2) - 0.5);
  const digits = [...order.slice(0, 9)];
  digits.splice(5, 0, order[1]!);
  let product = 10;
  for (const digit of digits) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  const check = (11 - product) % 10;
  return digits.join('') + check;
}

/** Digits until the one that a rule appends is a digit. */
function until(random: Random, count: number, check: (digits: string) => number, first = ''): string {
  for (;;) {
    const digits = first + digitsOf(random, count - first.length);
    const last = check(digits);
    if (last < 10 && !/^0/.test(digits)) return digits + last;
  }
}

const IDS: Record<string, (random: Random, separator: string) => string> = {
  ssn: (random) => `${100 + random.whole(500)}-${10 + random.whole(89)}-${1000 + random.whole(8999)}`,
  idnr: (random, separator) => {
    const id = taxId(random);
    return [id.slice(0, 2), id.slice(2, 5), id.slice(5, 8), id.slice(8)].join(separator);
  },
  nir: (random, separator) => {
    const id = `${1 + random.whole(2)}${two(40 + random.whole(59))}${two(1 + random.whole(12))}${two(1 + random.whole(19))}${digitsOf(random, 5)[0]}${digitsOf(random, 5)}`;
    const key = two(97 - Number(BigInt(id) % 97n));
    const parts = [
      id.slice(0, 1),
      id.slice(1, 3),
      id.slice(3, 5),
      id.slice(5, 7),
      id.slice(7, 10),
      id.slice(10),
      key,
    ];
    return parts.join(separator);
  },
  dni: (random, separator) => {
    const id = String(10_000_000 + random.whole(89_999_999));
    return id + separator + IDENTITY_LETTERS[Number(id) % 23];
  },
  nie: (random, separator) => {
    const id = digitsOf(random, 7);
    const first = random.whole(3);
    return `${'XYZ'[first]}${separator}${id}${separator}${IDENTITY_LETTERS[Number(`${first}${id}`) % 23]}`;
  },
  cf: (random) => fiscalCode(random),
  cpf: (random, separator) => {
    const nine = `${1 + random.whole(9)}${digitsOf(random, 8)}`;
    const checkOf = (digits: string) => {
      const rest =
        (weighted(
          digits,
          Array.from(digits, (_, index) => digits.length + 1 - index),
        ) *
          10) %
        11;
      return rest % 10;
    };
    const ten = nine + checkOf(nine);
    const id = ten + checkOf(ten);
    return separator === ' ' ? `${id.slice(0, 3)}.${id.slice(3, 6)}.${id.slice(6, 9)}-${id.slice(9)}` : id;
  },
  nif: (random, separator) => {
    const id = until(
      random,
      8,
      (digits) => (11 - (weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11,
      '2',
    );
    return [id.slice(0, 3), id.slice(3, 6), id.slice(6)].join(separator);
  },
  bsn: (random, separator) => {
    const id = until(random, 8, (digits) => weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2]) % 11, '1');
    return [id.slice(0, 3), id.slice(3, 6), id.slice(6)].join(separator);
  },
  pesel: (random) => {
    const id = `${two(40 + random.whole(59))}${two(1 + random.whole(12))}${two(1 + random.whole(28))}${digitsOf(random, 4)}`;
    return id + ((10 - (weighted(id, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10);
  },
  personnummer: (random) => {
    const id = withLuhn(
      `${two(40 + random.whole(59))}${two(1 + random.whole(12))}${two(1 + random.whole(28))}${1 + random.whole(9)}${digitsOf(random, 2)}`,
    );
    return `${id.slice(0, 6)}-${id.slice(6)}`;
  },
  mynumber: (random, separator) => {
    const id = until(random, 11, (digits) => {
      const rest = weighted(digits, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
      return rest <= 1 ? 0 : 11 - rest;
    });
    return inFours(id, separator);
  },
};

/** Makes the number that a placeholder such as `iban:DE: ` describes, whose last part separates its groups. */
export function makeNumber(placeholder: string, random: Random): string {
  const [kind, name = '', separator] = placeholder.split(':');
  if (kind === 'card') return card(random, name, separator ?? '');
  if (kind === 'iban') return iban(random, name, separator ?? '');
  return IDS[name]!(random, separator ?? (name === 'cpf' ? ' ' : ''));
}
