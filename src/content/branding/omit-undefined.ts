type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Copies a record without the fields that are `undefined`. */
export function omitUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  // The filter removes exactly the fields that `Defined` makes optional.
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<Fields>;
}
