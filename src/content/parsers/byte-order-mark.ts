/** The label of the encoding that a byte order mark at the beginning declares; `undefined` without one. */
export function encodingOfMark([first, second, third]: Uint8Array):
  | 'utf-8'
  | 'utf-16le'
  | 'utf-16be'
  | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}
