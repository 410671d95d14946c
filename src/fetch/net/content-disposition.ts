/**
 * The parameter `filename`, quoted or not, and the one with an encoding (RFC 8187), which takes precedence.
 */
const NAME = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i;
const ENCODED_NAME = /;\s*filename\*\s*=\s*[\w-]+'[\w-]*'([^\s;]+)/i;

/**
 * Reads the name of a file from the header `Content-Disposition` (RFC 6266). It says the type of the file by
 * its extension, so other characters stay encoded as the header has them.
 * @returns an empty string for a header without a name
 */
export function parseFileName(contentDisposition = ''): string {
  const [, quoted, plain] = NAME.exec(contentDisposition) ?? [];
  return ENCODED_NAME.exec(contentDisposition)?.[1] ?? quoted ?? plain ?? '';
}
