import type { DocumentType } from '../document.ts';
import type { MailTask } from '../mail/index.ts';
import type { OfficeType } from '../office/model.ts';
import type { SpreadsheetType } from '../spreadsheet/index.ts';
import type { Converter } from './converter.ts';

/** The argument of the process that converts documents which lets it load all converters and end. */
export const LOAD_ONLY = 'load-only';

/**
 * The converters, which are loaded when they are needed, because a process converts documents of few types.
 */
export const CONVERTERS: Record<DocumentType, () => Promise<Converter>> = {
  image: async () => (await import('../pdf/ocr/convert-image.ts')).convertImage,
  pdf: async () => (await import('../pdf/index.ts')).convertPdf,
  docx: office('docx'),
  doc: office('doc'),
  odt: office('odt'),
  rtf: office('rtf'),
  pptx: office('pptx'),
  ppt: office('ppt'),
  odp: office('odp'),
  epub: office('epub'),
  xlsx: spreadsheet('xlsx'),
  xlsb: spreadsheet('xlsb'),
  xls: spreadsheet('xls'),
  ods: spreadsheet('ods'),
  csv: spreadsheet('csv'),
  tsv: spreadsheet('tsv'),
  eml: mail('eml'),
  msg: mail('msg'),
};

function office(type: OfficeType) {
  return async (): Promise<Converter> => {
    const { convertOffice } = await import('../office/index.ts');
    return ({ images }, bytes) => convertOffice({ type, images }, bytes);
  };
}

function spreadsheet(type: SpreadsheetType) {
  return async (): Promise<Converter> => {
    const { convertSpreadsheet } = await import('../spreadsheet/index.ts');
    return async ({ images, guessedEncoding }, bytes) =>
      convertSpreadsheet({ type, images, ...(guessedEncoding && { guessedEncoding }) }, bytes);
  };
}

function mail(type: MailTask['type']) {
  return async (): Promise<Converter> => {
    const { convertMail } = await import('../mail/index.ts');
    return ({ images }, bytes) => convertMail({ type, images }, bytes);
  };
}
