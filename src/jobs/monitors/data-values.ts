/** A value whose changes make a series. */
export type DataValue = string | number | boolean;

/** The most values of a page that are kept, and the most characters of a name and of a text. */
const MAX_VALUES = 100;
const MAX_CHARACTERS = 200;
const MAX_DEPTH = 8;

/** The formats whose data is kept, each with what its names begin with. */
const SOURCES: Record<string, string> = { json: '', deterministicJson: '', product: 'product' };

/**
 * Finds the single values in the data of a page, by names such as `offers.0.price`.
 * @param document the document of a page as it was stored
 * @returns null if there are none
 */
export function dataValuesOf(document: Record<string, unknown>): Record<string, DataValue> | null {
  const found = new Map<string, DataValue>();
  for (const [field, name] of Object.entries(SOURCES)) collect(document[field], { name, depth: 0, found });
  return found.size ? Object.fromEntries(found) : null;
}

function collect(
  value: unknown,
  { name, depth, found }: { name: string; depth: number; found: Map<string, DataValue> },
): void {
  if (found.size >= MAX_VALUES || name.length > MAX_CHARACTERS) return;
  if (typeof value === 'object' && value !== null) {
    if (depth >= MAX_DEPTH) return;
    for (const [key, inner] of Object.entries(value)) {
      if (found.size >= MAX_VALUES) return;
      collect(inner, { name: name === '' ? key : `${name}.${key}`, depth: depth + 1, found });
    }
  } else if (typeof value === 'string') {
    // Texts are no values that people follow over time, and would take much space.
    if (value.length <= MAX_CHARACTERS) found.set(name || 'value', value.replaceAll('\u0000', ''));
  } else if (typeof value === 'number' || typeof value === 'boolean') found.set(name || 'value', value);
}
