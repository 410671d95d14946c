/** The words of a text in a form in which quotes of it are found, without markdown and other signs between them. */
export const wordsOf = (text: string): string =>
  ` ${
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ') ?? ''
  } `;
