/** Whether a parsed JSON value is an object, i.e. neither null nor a list. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns a JSON value without what Postgres refuses in texts of its type `jsonb`: the character U+0000, and
 * halves of characters outside the basic plane.
 */
export function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed();
  if (Array.isArray(value)) return value.map(storableJson);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [String(storableJson(name)), storableJson(each)]),
  );
}

/** Parses a text that may not be JSON. @returns `undefined` if it is not */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns the fields of a parsed JSON object; an empty record for any other value. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}
