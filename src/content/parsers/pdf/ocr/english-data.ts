import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

/** The language data that OCR uses. */
export interface OcrSettings {
  /** Directory with `<language>.traineddata` files of tesseract; see {@link unpackEnglish}. */
  languageData: string;
  /** Language codes of tesseract, joined by `+`. */
  languages: string;
}

const require = createRequire(import.meta.url);

/**
 * Writes the English language data of tesseract to a directory, unless the directory already has it.
 * @returns settings for English text
 */
export async function unpackEnglish(directory: string): Promise<OcrSettings> {
  const target = join(directory, 'eng.traineddata');
  const settings = { languageData: directory, languages: 'eng' };
  if (await stat(target).catch(() => undefined)) return settings;
  const packed = join(
    dirname(require.resolve('@tesseract.js-data/eng')),
    '4.0.0_best_int/eng.traineddata.gz',
  );
  await mkdir(directory, { recursive: true });
  // Another process may write the same file at the same time.
  const temporary = `${target}.${process.pid}`;
  await writeFile(temporary, await promisify(gunzip)(await readFile(packed)));
  await rename(temporary, target);
  return settings;
}
