import { join } from 'node:path';
import { promisify } from 'node:util';
import { init } from 'license-checker-rseidelsohn';

/** One production dependency and what its package says about its licence. */
export interface LicensedPackage {
  /** `name@version` */
  name: string;
  /** An SPDX expression, or several alternatives; a `*` marks what was guessed from a file. */
  licence: string;
}

/** Licences that would bind whoever distributes Winnow under MIT; LGPL and MPL bind only the library itself. */
const FORBIDDEN = /^(A?GPL|SSPL|BUSL|CC-BY-NC|Commons-Clause|Elastic)/i;
const FREE =
  /^(MIT|ISC|0BSD|BSD|Apache|MPL|LGPL|BlueOak|CC0|CC-BY-[34]|Python|PSF|Unlicense$|WTFPL|Zlib|Artistic|Public Domain|W3C|Unicode|PostgreSQL|OFL)/i;

/** Whether an SPDX expression lets us distribute: of `OR` one part must do, of `AND` every part. */
export function allowsMit(licence: string): boolean {
  const plain = licence.replace(/[()*]/g, '').trim();
  if (/ OR /i.test(plain)) return plain.split(/ OR /i).some(allowsMit);
  if (/ AND /i.test(plain)) return plain.split(/ AND /i).every(allowsMit);
  return !FORBIDDEN.test(plain) && FREE.test(plain);
}

/** Every package that `npm ci --omit=dev` installs below a directory, but for its own root. */
export async function productionPackages(directory: string): Promise<LicensedPackage[]> {
  const found = await promisify(init)({ start: directory, production: true, excludePrivatePackages: true });
  return Object.entries(found).map(([name, { licenses }]) => ({
    name,
    // Several licences in the old array form are a choice.
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
