import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { DOCUMENT_PEERS, TESSERACT } from '../peers/documents.ts';
import { type ConvertedFile, openWinnow, type WinnowVariant } from './winnow-documents.ts';

/**
 * Converts documents with one converter, in a process of its own so that its CPU time can be measured: reads
 * the path of a document from each message, and sends a {@link ConvertedFile}. Its arguments are the name of
 * the converter and, for Winnow, a directory for language data.
 */

const [, , name = '', directory = ''] = process.argv;
const peer = [...DOCUMENT_PEERS, TESSERACT].find((one) => one.name === name);
const convertWithPeer = await peer?.load();
const convert: (bytes: Buffer, type: string) => Promise<ConvertedFile> = convertWithPeer
  ? async (bytes, type) => ({ markdown: await convertWithPeer(bytes, type) })
  : await openWinnow(name as WinnowVariant, directory);

process.on('message', async (file: string) => {
  try {
    process.send?.(await convert(readFileSync(file), extname(file).slice(1)));
  } catch (error) {
    process.stderr.write(`${name} could not convert ${file}: ${error}\n`);
    process.send?.({});
  }
});
process.send?.({});
