/** Beginnings of keys and tokens of well-known providers, each with the form of what follows. */
const KEYS =
  /(?:A(?:KIA|SIA)[A-Z\d]{16}|gh[pousr]_[A-Za-z\d]{36,255}|github_pat_\w{40,255}|glpat-[\w-]{20,64}|sk-(?:proj-|ant-|or-)?[\w-]{20,200}|[sr]k_(?:live|test)_[A-Za-z\d]{16,99}|xox[abeoprs]-[A-Za-z\d-]{10,250}|AIza[\w-]{35}|ya29\.[\w-]{20,250}|SG\.[\w-]{16,64}\.[\w-]{16,64}|npm_[A-Za-z\d]{36}|pypi-[\w-]{16,200}|dop_v1_[a-f\d]{64}|hf_[A-Za-z]{30,40}|eyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,2000}|fc-[a-f\d]{32})(?![A-Za-z\d])/y;
const PRIVATE_KEY =
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{0,8000}?-----END [A-Z ]{0,30}PRIVATE KEY-----/y;
/** A word for a secret before a colon or an equals sign. */
const LABEL =
  /(?:pass(?:word|wort|wd|phrase)|kennwort|contraseña|mot de passe|senha|hasło|lösenord|wachtwoord|パスワード|api[ _-]?key|secret(?:[ _-]?key)?|access[ _-]?token|auth[ _-]?token|client[ _-]?secret|\bpin)["'”]?\s?$/iu;
const VALUE = /\s{0,3}["'“]?([^\s"'<>“”,;、。]{4,200})/y;
/** Values that are words rather than secrets: of one case, without a digit or a special character. */
const WORD =
  /^(?:\p{Lu}?\p{Ll}+|\p{Lu}+|[{[(<$%*].*|(?:true|false|null|none|undefined|string|required)\b.*|\*+|•+|[a-z_.]+\(.*|process\.env.*)[.!?:)]*$/u;
const LABEL_LENGTH = 20;

/** Finds the key or token of a provider that begins at a position. @returns the position after it, or 0 */
export function endOfKey(text: string, start: number): number {
  KEYS.lastIndex = start;
  const found = KEYS.exec(text)?.[0];
  return found === undefined ? 0 : start + found.length;
}

/** Finds the private key (PEM) that begins at a position. @returns the position after it, or 0 */
export function endOfPrivateKey(text: string, start: number): number {
  PRIVATE_KEY.lastIndex = start;
  const found = PRIVATE_KEY.exec(text)?.[0];
  return found === undefined ? 0 : start + found.length;
}

/** Finds the value behind a colon or an equals sign, if the word before is one for a secret. */
export function findLabelledSecret(text: string, at: number): { start: number; end: number } | undefined {
  if (!LABEL.test(text.slice(Math.max(0, at - LABEL_LENGTH), at))) return undefined;
  VALUE.lastIndex = at + 1;
  const found = VALUE.exec(text);
  const value = found?.[1];
  if (found === null || value === undefined || WORD.test(value)) return undefined;
  const end = at + 1 + found[0].length;
  return { start: end - value.length, end };
}
