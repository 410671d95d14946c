/** A step of a path: how it is reached, the name of the element, and what stands in brackets. */
const STEP = /(\/{1,2})([\w-]+|\*)((?:\[[^\]]*\])*)/gy;
const CONDITION = /\[([^\]]*)\]/g;
const HAS_CLASS = /^contains\(@class,\s*(['"])([\w-]+)\1\)$/;
const HAS_TEXT =
  /^(?:contains\((?:text\(\)|\.),\s*|(?:normalize-space\(\)|text\(\)|\.)\s*=\s*)(['"])([^'"]+)\1\)?$/;
const ATTRIBUTE = /^@([\w-]+)(?:\s*=\s*(['"])([^'"]*)\2)?$/;

/**
 * Rewrites a simple XPath as a CSS selector, for messages: elements, their attributes, classes, texts and positions.
 * @returns undefined for paths with anything else
 */
export function cssOfXPath(xpath: string): string | undefined {
  const path = xpath
    .trim()
    .replace(/^xpath=/i, '')
    .replace(/^\.(?=\/)/, '');
  let css = '';
  let end = 0;
  for (const [step, slashes, name = '', brackets = ''] of path.matchAll(STEP)) {
    const conditions = [...brackets.matchAll(CONDITION)].map(([, condition = '']) =>
      cssOfCondition(condition.trim()),
    );
    if (conditions.includes(undefined)) return undefined;
    const element = name === '*' && conditions.length ? '' : name;
    css += `${css && (slashes === '/' ? ' > ' : ' ')}${element}${conditions.join('')}`;
    end += step.length;
  }
  return css && end === path.length ? css : undefined;
}

function cssOfCondition(condition: string): string | undefined {
  if (/^\d{1,4}$/.test(condition)) return `:nth-of-type(${condition})`;
  if (condition === 'last()') return ':last-of-type';
  const [, , className] = HAS_CLASS.exec(condition) ?? [];
  if (className) return `.${className}`;
  const [, , text] = HAS_TEXT.exec(condition) ?? [];
  if (text) return `:has-text("${text}")`;
  const [, attribute, quote, value = ''] = ATTRIBUTE.exec(condition) ?? [];
  if (!attribute) return undefined;
  const isWord = /^[a-z_][\w-]*$/i.test(value);
  if (attribute === 'id' && isWord) return `#${value}`;
  if (attribute === 'class' && isWord) return `.${value}`;
  return quote ? `[${attribute}="${value}"]` : `[${attribute}]`;
}
