import { type AnyNode, type Element, isTag } from 'domhandler';
import { textContent } from 'domutils';

/** Signs that TeX has a command for. */
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
const OVER: Record<string, string> = {
  ...{
    '¯': 'bar',
    '‾': 'overline',
    '^': 'hat',
    ˆ: 'hat',
    '~': 'tilde',
    '˜': 'tilde',
    '˙': 'dot',
    '¨': 'ddot',
  },
  ...{ '→': 'vec', '⃗': 'vec', '⏞': 'overbrace' },
};
const FENCES: Record<string, string> = { '{': '\\{', '}': '\\}', '': '.' };
/** What TeX would read as a command. */
const SIGNS = /[#$%&_{}]/g;

/** MathML (presentation) as TeX. */
export function texOf(node: AnyNode): string {
  if (!isTag(node)) return '';
  const rule = RULES[node.name];
  return rule ? rule(partsOf(node), node) : joined(partsOf(node));
}

const partsOf = ({ children }: Element) => children.filter(isTag);

/** Commands end at letters, so one of these begins after a blank. */
const joined = (parts: Element[]) =>
  parts
    .map(texOf)
    .reduce(
      (above, part) => above + (/\\[a-z]+$/i.test(above) && /^[a-z]/i.test(part) ? ' ' : '') + part,
      '',
    );

const text = (node: Element) => textContent(node).trim().replace(/\s+/g, ' ');

function sign(node: Element): string {
  const said = text(node).replace(/[\u2061-\u2064]/g, '');
  const command = COMMANDS[said];
  if (command) return command;
  if (FUNCTIONS.test(said)) return `\\${said}`;
  const escaped = said.replace(SIGNS, '\\$&').replace('−', '-');
  return node.name === 'mi' && /^[a-z]{2,}$/i.test(said) ? `\\mathrm{${escaped}}` : escaped;
}

/** What stands in braces when it is more than a sign. */
function group(node: Element | undefined): string {
  const tex = node ? texOf(node) : '';
  return /^(?:.|\\[a-z]+)$/iu.test(tex) ? tex : `{${tex}}`;
}

const script = (base: Element | undefined, below?: Element, above?: Element) => {
  const tex = group(base);
  const command = /\\[a-z]+$/i.test(tex) && !below && !above ? ' ' : '';
  return `${tex}${below ? `_${group(below)}` : ''}${above ? `^${group(above)}` : ''}${command}`;
};

function over(base: Element | undefined, mark: Element | undefined): string {
  const accent = mark && OVER[text(mark)];
  if (accent) return `\\${accent}{${base ? texOf(base) : ''}}`;
  const tex = base ? texOf(base) : '';
  return /^\\(?:sum|prod|lim|int|max|min|sup|inf)$/.test(tex)
    ? script(base, undefined, mark)
    : `\\overset${group(mark)}${group(base)}`;
}

const rows = (parts: Element[]) => parts.map((row) => partsOf(row).map(texOf).join(' & ')).join(' \\\\ ');

const RULES: Record<string, (parts: Element[], node: Element) => string> = {
  mi: (_, node) => sign(node),
  mo: (_, node) => sign(node),
  mn: (_, node) => text(node).replace(SIGNS, '\\$&'),
  mtext: (_, node) => (text(node) ? `\\text{${text(node).replace(SIGNS, '\\$&')}}` : ' '),
  ms: (_, node) => `\\text{${text(node)}}`,
  mspace: () => ' ',
  annotation: () => '',
  'annotation-xml': () => '',
  semantics: ([first]) => (first ? texOf(first) : ''),
  mphantom: (parts) => `\\phantom{${joined(parts)}}`,
  mfrac: ([above, below]) => `\\frac{${above ? texOf(above) : ''}}{${below ? texOf(below) : ''}}`,
  msqrt: (parts) => `\\sqrt{${joined(parts)}}`,
  mroot: ([base, degree]) => `\\sqrt[${degree ? texOf(degree) : ''}]{${base ? texOf(base) : ''}}`,
  msup: ([base, above]) => script(base, undefined, above),
  msub: ([base, below]) => script(base, below),
  msubsup: ([base, below, above]) => script(base, below, above),
  munder: ([base, below]) => script(base, below),
  mover: ([base, above]) => over(base, above),
  munderover: ([base, below, above]) => script(base, below, above),
  mtable: (parts, { parent }) =>
    parent && isTag(parent) && parent.name === 'mfenced'
      ? `\\begin{matrix}${rows(parts)}\\end{matrix}`
      : `\\begin{matrix} ${rows(parts)} \\end{matrix}`,
  mfenced: (parts, { attribs }) => {
    const [open = '(', close = ')'] = [attribs.open, attribs.close];
    const separator = (attribs.separators ?? ',').charAt(0);
    return `\\left${FENCES[open] ?? open}${parts.map(texOf).join(separator)}\\right${FENCES[close] ?? close}`;
  },
};
