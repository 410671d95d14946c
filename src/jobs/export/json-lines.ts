import type { WriteExport } from './export-format.ts';

/** Writes documents as JSON Lines: one JSON object on each line, in the order of completion. */
export const writeJsonLines: WriteExport = async function* (pages) {
  // Documents are stored as JSON without line breaks.
  for await (const { json } of pages) yield `${json}\n`;
};
