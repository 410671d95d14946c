/**
 * Unicode characters for the symbols of the fonts Symbol and Wingdings, by their codes without the range of
 * private characters.
 */
const SYMBOL = codes(
  '44Δ 53Σ 57Ω 61α 62β 64δ 65ε 67γ 6cλ 6dμ 70π 72ρ 73σ 74τ 77ω a3≤ a5∞ ab↔ ac← ad↑ ' +
    'ae→ af↓ b0° b1± b3≥ b4× b7• b8÷ b9≠ bb≈ bc… ce∈ d2® d3© d4™ d6√ e5∑ f2∫',
);
const WINGDINGS = codes('22✂ 28☎ 2a✉ 4a☺ 4c☹ 6c● 6e■ 6f☐ a7▪ a8☐ ab★ d8➢ df← e0→ e8➔ f0⇨ fb✗ fc✓ fd☒ fe☑');

/** @param list two hexadecimal digits and the character for each code */
function codes(list: string): Map<number, string> {
  return new Map(list.split(' ').map((each) => [Number.parseInt(each.slice(0, 2), 16), each.slice(2)]));
}

/**
 * The character that a symbol looks like; undefined if that is not known.
 * @param font the name of the font
 * @param code one byte
 */
export function symbolOf(font: string, code: number): string | undefined {
  if (/^wingdings$/i.test(font)) return WINGDINGS.get(code);
  return /^symbol$/i.test(font) ? SYMBOL.get(code) : undefined;
}
