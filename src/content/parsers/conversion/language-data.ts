import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ServiceError } from '../../../errors.ts';
import { type OcrSettings, unpackEnglish } from '../pdf/ocr/english-data.ts';

/** Data of tesseract that is not a language: orientation and script detection, equations. */
const NO_LANGUAGES = ['osd', 'equ'];
const EXTENSION = '.traineddata';

/**
 * Finds the language data for OCR. It is that of the configured directory, else the English data that Winnow
 * brings, which is unpacked into the cache directory.
 * @param directory the configured directory
 * @throws ServiceError `SERVICE_UNAVAILABLE` if the configured directory has no language data
 */
export async function findLanguageData(
  directory: string | undefined,
  cacheDir: string,
): Promise<OcrSettings> {
  if (!directory) return unpackEnglish(resolve(cacheDir, 'ocr'));
  const languages = await listLanguages(directory);
  if (languages.length) return { languageData: resolve(directory), languages: languages.join('+') };
  const message = `WINNOW_OCR_DATA is ${directory}, which has no files *${EXTENSION}. Set a directory with language data, or leave the setting empty.`;
  throw new ServiceError('SERVICE_UNAVAILABLE', message);
}

/** Lists the languages of a directory, English first: tesseract prefers the first language when in doubt. */
async function listLanguages(directory: string): Promise<string[]> {
  const names = await readdir(join(directory)).catch((cause: unknown) => {
    const message = `WINNOW_OCR_DATA is ${directory}, which cannot be read.`;
    throw new ServiceError('SERVICE_UNAVAILABLE', message, { cause });
  });
  return names
    .filter((name) => name.endsWith(EXTENSION))
    .map((name) => name.slice(0, -EXTENSION.length))
    .filter((name) => !NO_LANGUAGES.includes(name))
    .sort((one, other) => Number(other === 'eng') - Number(one === 'eng') || one.localeCompare(other));
}
