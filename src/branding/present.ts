type Present<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** A record without the fields that have no value. */
export function present<Fields extends object>(fields: Fields): Present<Fields> {
  // Only fields without a value went away.
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Present<Fields>;
}
