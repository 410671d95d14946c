import { join } from 'node:path';
import { promisify } from 'node:util';
import { init } from 'license-checker-rseidelsohn';

/** A production dependency and the licence that its package states. */
export interface LicensedPackage {
  /** `name@version` */
  name: string;
  /** An SPDX expression, or alternatives; a `*` marks a licence that was guessed from a file. */
  licence: string;
}

/** Licences that forbid distribution under MIT. LGPL and MPL apply only to the library itself. */
const FORBIDDEN = /^(A?GPL|SSPL|BUSL|CC-BY-NC|Commons-Clause|Elastic)/i;
const FREE =
  /^(MIT|ISC|0BSD|BSD|Apache|MPL|LGPL|BlueOak|CC0|CC-BY-[34]|Python|PSF|Unlicense$|WTFPL|Zlib|Artistic|Public Domain|W3C|Unicode|PostgreSQL|OFL)/i;

/**
 * Whether an SPDX expression allows distribution under MIT: one part of an `OR`, and every part of an `AND`.
 */
export function allowsMit(licence: string): boolean {
  const plain = licence.replace(/[()*]/g, '').trim();
  if (/ OR /i.test(plain)) return plain.split(/ OR /i).some(allowsMit);
  if (/ AND /i.test(plain)) return plain.split(/ AND /i).every(allowsMit);
  return !FORBIDDEN.test(plain) && FREE.test(plain);
}

/** All packages that `npm ci --omit=dev` installs below a directory, without its root package. */
export async function productionPackages(directory: string): Promise<LicensedPackage[]> {
  const found = await promisify(init)({ start: directory, production: true, excludePrivatePackages: true });
  return Object.entries(found).map(([name, { licenses }]) => ({
    name,
    // The old form of an array of licences means a choice.
    licence: [licenses ?? 'UNKNOWN'].flat().join(' OR '),
  }));
}

if (import.meta.main) {
  const packages = await productionPackages(join(import.meta.dirname, '..'));
  const counts = Object.entries(Object.groupBy(packages, ({ licence }) => licence));
  for (const [licence, group = []] of counts.sort(([, a = []], [, b = []]) => b.length - a.length)) {
    process.stdout.write(`${String(group.length).padStart(5)}  ${licence}\n`);
  }
  const faults = packages.filter(({ licence }) => !allowsMit(licence));
  for (const { name, licence } of faults) {
    process.stderr.write(
      `${name} is under ${licence}: Winnow cannot be distributed under MIT with it. Replace it.\n`,
    );
  }
  process.exitCode = faults.length || !packages.length ? 1 : 0;
}
