import type { AnyNode, Element } from 'domhandler';
import { textContent } from 'domutils';
import { isParentElement, isTag } from '../nodes.ts';
import { oneLine } from '../text.ts';

/** TeX commands by Unicode symbol. */
const COMMANDS: Record<string, string> = Object.fromEntries(
  `α alpha β beta γ gamma δ delta ε epsilon ϵ epsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu ν nu ξ xi π pi
  ρ rho σ sigma τ tau υ upsilon φ varphi ϕ phi χ chi ψ psi ω omega Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma
  Φ Phi Ψ Psi Ω Omega ∑ sum ∏ prod ∫ int ∬ iint ∮ oint ∂ partial ∇ nabla ∞ infty ± pm ∓ mp × times ÷ div ⋅ cdot · cdot
  ∗ ast ∘ circ ≤ leq ≥ geq ≠ neq ≈ approx ≡ equiv ∼ sim ≃ simeq ∝ propto ∈ in ∉ notin ⊂ subset ⊆ subseteq ⊃ supset
  ⊇ supseteq ∪ cup ∩ cap ∅ emptyset ∀ forall ∃ exists ¬ neg ∧ land ∨ lor → to ← leftarrow ↔ leftrightarrow ⇒ Rightarrow
  ⇐ Leftarrow ⇔ Leftrightarrow ↦ mapsto … ldots ⋯ cdots ⋮ vdots ⋱ ddots ′ prime ℝ mathbb{R} ℂ mathbb{C} ℕ mathbb{N}
  ℤ mathbb{Z} ℚ mathbb{Q} ⟨ langle ⟩ rangle ‖ | ⊕ oplus ⊗ otimes ⊥ perp ∥ parallel ∠ angle √ surd ℓ ell ℏ hbar`
    .trim()
    .split(/\s+/)
    .flatMap((word, place, all) => (place % 2 ? [] : [[word, `\\${all[place + 1]}`]])),
);
const FUNCTIONS =
  /^(?:sin|cos|tan|cot|sec|csc|sinh|cosh|tanh|arcsin|arccos|arctan|log|ln|exp|lim|max|min|sup|inf|det|dim|gcd|ker|arg|deg|mod)$/;
const ACCENTS: Record<string, string> = {
  '¯': 'bar',
  '‾': 'overline',
  '^': 'hat',
  ˆ: 'hat',
  '~': 'tilde',
  '˜': 'tilde',
  '˙': 'dot',
  '¨': 'ddot',
  '→': 'vec',
  '⃗': 'vec',
  '\u0300': 'grave',
  '`': 'grave',
  '\u0301': 'acute',
  '´': 'acute',
  '\u0302': 'hat',
  '\u0303': 'tilde',
  '\u0304': 'bar',
  '\u0305': 'overline',
  '\u0306': 'breve',
  '˘': 'breve',
  '\u0307': 'dot',
  '\u0308': 'ddot',
  '\u20db': 'dddot',
  '\u030a': 'mathring',
  '\u030c': 'check',
  ˇ: 'check',
  '\u20d6': 'overleftarrow',
  '\u20e1': 'overleftrightarrow',
  '⏞': 'overbrace',
};
const FENCES: Record<string, string> = { '{': '\\{', '}': '\\}', '': '.' };
/** Characters that TeX would read as commands. */
const SPECIAL_CHARACTERS = /[#$%&_{}]/g;

/** Converts presentation MathML to TeX. */
export function mathmlToTex(node: AnyNode): string {
  if (!isTag(node)) return '';
  const rule = MATHML_RULES[node.name];
  return rule ? rule(childElements(node), node) : joinTex(childElements(node));
}

const childElements = ({ children }: Element) => children.filter(isTag);

/** Joins TeX with a space where a letter would otherwise continue the command before it. */
const joinTex = (parts: Element[]) =>
  parts
    .map(mathmlToTex)
    .reduce(
      (above, part) => above + (/\\[a-z]+$/i.test(above) && /^[a-z]/i.test(part) ? ' ' : '') + part,
      '',
    );

const text = (node: Element) => oneLine(textContent(node));

function symbol(node: Element): string {
  const content = text(node).replace(/[\u2061-\u2064]/g, '');
  const command = COMMANDS[content];
  if (command) return command;
  if (FUNCTIONS.test(content)) return `\\${content}`;
  const escaped = content.replace(SPECIAL_CHARACTERS, '\\$&').replace('−', '-');
  return node.name === 'mi' && /^[a-z]{2,}$/i.test(content) ? `\\mathrm{${escaped}}` : escaped;
}

/** TeX of a node, in braces unless it is a single symbol. */
function group(node: Element | undefined): string {
  const tex = node ? mathmlToTex(node) : '';
  return /^(?:.|\\[a-z]+)$/iu.test(tex) ? tex : `{${tex}}`;
}

const script = (base: Element | undefined, below?: Element, above?: Element) => {
  const tex = group(base);
  const command = /\\[a-z]+$/i.test(tex) && !below && !above ? ' ' : '';
  return `${tex}${below ? `_${group(below)}` : ''}${above ? `^${group(above)}` : ''}${command}`;
};

function overset(base: Element | undefined, mark: Element | undefined): string {
  const accent = mark && ACCENTS[textContent(mark).trim()];
  if (accent) return `\\${accent}{${base ? mathmlToTex(base) : ''}}`;
  const tex = base ? mathmlToTex(base) : '';
  return /^\\(?:sum|prod|lim|int|max|min|sup|inf)$/.test(tex)
    ? script(base, undefined, mark)
    : `\\overset${group(mark)}${group(base)}`;
}

const rows = (parts: Element[]) =>
  parts.map((row) => childElements(row).map(mathmlToTex).join(' & ')).join(' \\\\ ');

const MATHML_RULES: Record<string, (parts: Element[], node: Element) => string> = {
  mi: (_, node) => symbol(node),
  mo: (_, node) => symbol(node),
  mn: (_, node) => text(node).replace(SPECIAL_CHARACTERS, '\\$&'),
  mtext: (_, node) => (text(node) ? `\\text{${text(node).replace(SPECIAL_CHARACTERS, '\\$&')}}` : ' '),
  ms: (_, node) => `\\text{${text(node)}}`,
  mspace: () => ' ',
  annotation: () => '',
  'annotation-xml': () => '',
  semantics: ([first]) => (first ? mathmlToTex(first) : ''),
  mphantom: (parts) => `\\phantom{${joinTex(parts)}}`,
  mfrac: ([above, below]) => `\\frac{${above ? mathmlToTex(above) : ''}}{${below ? mathmlToTex(below) : ''}}`,
  msqrt: (parts) => `\\sqrt{${joinTex(parts)}}`,
  mroot: ([base, degree]) => `\\sqrt[${degree ? mathmlToTex(degree) : ''}]{${base ? mathmlToTex(base) : ''}}`,
  msup: ([base, above]) => script(base, undefined, above),
  msub: ([base, below]) => script(base, below),
  msubsup: ([base, below, above]) => script(base, below, above),
  munder: ([base, below]) => script(base, below),
  mover: ([base, above]) => overset(base, above),
  munderover: ([base, below, above]) => script(base, below, above),
  mtable: (parts, { parent }) =>
    isParentElement(parent) && parent.name === 'mfenced'
      ? `\\begin{matrix}${rows(parts)}\\end{matrix}`
      : `\\begin{matrix} ${rows(parts)} \\end{matrix}`,
  mfenced: (parts, { attribs }) => {
    const [open = '(', close = ')'] = [attribs.open, attribs.close];
    const separator = (attribs.separators ?? ',').charAt(0);
    return `\\left${FENCES[open] ?? open}${parts.map(mathmlToTex).join(separator)}\\right${FENCES[close] ?? close}`;
  },
};
