const MONOSPACED =
  /\b(?:mono|courier|consolas|menlo|monaco|inconsolata|typewriter|fixedsys|terminal|andale)|(?:lucida (?:console|sans typewriter)|(?:source|fira|cascadia) code|mono)$/i;
const CODE_STYLE =
  /^(?:verbatim|source[ _]?(?:text|code)|html (?:code|typewriter)|inline ?code|code\b|teletype)/i;

/** Whether a font has letters of equal width, judged by its name. */
export const isMonospaced = (font: string): boolean => MONOSPACED.test(font);

/** Whether the name of a character style says that it is for code. */
export const isCodeStyle = (name: string): boolean => CODE_STYLE.test(name);
