/** Function words by ISO 639-3 code. The package has no types of its own. */
declare module 'stopword' {
  const lists: Record<string, string[]>;
  export default lists;
}
