/** Returns the fields of a parsed JSON object; an empty record for any other value. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  // An object that is neither null nor a list has string keys only.
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}
