import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as util from 'node:util';

/**
 * Adds the settings of a file to the environment, whose own variables win. The file is that of `WINNOW_ENV_FILE`, or
 * `.env` in the working directory. A `.env` outside the checkout may belong to another program, which has a PORT and a
 * DATABASE_URL of its own, so that only names that begin with `WINNOW_` are taken from it.
 * @param {string} checkout the directory whose `.env` is wholly ours
 * @returns {string | undefined} a sentence about the file, if there is one
 * @throws {Error} when the file cannot be read
 */
export function readSettingsFile(checkout) {
  const named = process.env.WINNOW_ENV_FILE;
  const path = named ? resolve(named) : join(process.cwd(), '.env');
  if (!named && !existsSync(path)) return undefined;
  if (!util.parseEnv)
    throw new Error(
      `Node ${process.version} cannot read ${path}. Use Node 20.12 or newer, or remove the file.`,
    );
  const isOurs = Boolean(named) || process.cwd() === checkout;
  const settings = Object.entries(util.parseEnv(readText(path)));
  const taken = settings.filter(([name]) => isOurs || name.startsWith('WINNOW_'));
  for (const [name, value] of taken) process.env[name] ??= value;
  const others = settings.length - taken.length;
  if (!others) return `Settings are read from ${path}.`;
  return (
    `Settings that begin with WINNOW_ are read from ${path}. The other ${others} may belong to another program; ` +
    `WINNOW_ENV_FILE=${path} takes all.`
  );
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(
      `The settings in ${path} cannot be read (${error.code}). Correct WINNOW_ENV_FILE or the permissions of the file.`,
    );
  }
}
