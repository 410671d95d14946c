import { markOf } from './odt-objects.ts';
import { ommlToMathml } from './omml.ts';

/** Content that only newer programs can show, and what others show instead (ECMA-376-3, 10.2). */
const ALTERNATIVES =
  /<mc:AlternateContent(?=[\s>])[^<>]*>((?:(?!<\/?mc:AlternateContent[\s>])[\s\S])*?)<\/mc:AlternateContent>/g;
const CHOICE = /<mc:Choice(?=[\s>])([^<>]*)>([\s\S]*?)<\/mc:Choice>/;
const FALLBACK = /<mc:Fallback(?:\s[^<>]*)?>([\s\S]*?)<\/mc:Fallback>/;
const TEXT = /<(?:a:t|m:t)(?:\s[^<>]*)?>\s*[^\s<]/;
const FORMULA = /<m:oMath(?=[\s>])[^<>]*>(?:(?!<m:oMath[\s>])[\s\S])*?<\/m:oMath>/g;
/** The elements around formulas in the text of a slide. */
const AROUND =
  /<\/?(?:a14:m|m:oMathPara)(?:\s[^<>]*)?>|<m:oMathParaPr\b(?:(?!<m:oMathParaPr\b)[\s\S])*?<\/m:oMathParaPr>/g;

/**
 * Writes the text of a slide that only newer programs show, such as that of text boxes with formulas, in the
 * place of its substitute, which has none; and marks in the places of the formulas.
 * @param objects gets the MathML of the formulas
 */
export function rewriteSlideFormulas(xml: string, objects: string[]): string {
  if (!xml.includes('<mc:AlternateContent') && !xml.includes('<m:oMath')) return xml;
  const chosen = xml.replace(ALTERNATIVES, (element, content: string) => {
    const [, attributes = '', choice = ''] = CHOICE.exec(content) ?? [];
    const fallback = FALLBACK.exec(content)?.[1] ?? '';
    if (!TEXT.test(choice) || TEXT.test(fallback)) return element;
    // The namespaces of the element that is left out are still needed.
    const namespaces = (attributes.match(/\sxmlns:\w+="[^"]*"/g) ?? []).join('');
    return choice.replace(/^\s*<[\w:]+/, (start) => `${start}${namespaces}`);
  });
  return chosen.replace(AROUND, '').replace(FORMULA, (formula) => {
    const mathml = ommlToMathml(formula);
    return mathml && `<a:r><a:t>${markOf(objects.push(mathml) - 1)}</a:t></a:r>`;
  });
}
