import type { Button, Control } from '../branding-data.ts';
import type { PageState, VisibleElement } from './visible-elements.ts';

/**
 * Runs in the page: collects buttons and input fields among the visible elements, and sets the role of the
 * text in buttons to `button`.
 * @param limit most buttons, and most fields
 */
export function collectControls(limit: number): { buttons: Button[]; inputs: Control[] } {
  const elements = (globalThis as PageState).winnowVisibleElements ?? [];
  const typeOf = (element: Element) => (element.getAttribute('type') ?? '').toLowerCase();
  const namesOf = ({ classList }: Element) => classList.value.slice(0, 300).toLowerCase();
  const widthOf = (style: CSSStyleDeclaration, side: string) =>
    Number.parseFloat(style.getPropertyValue(`border-${side}-width`));

  /** Whether the first 20 text nodes contain a letter. */
  const hasText = (element: Element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let texts = 0; texts < 20 && walker.nextNode(); texts++)
      if (/\p{L}/u.test((walker.currentNode.nodeValue ?? '').slice(0, 200))) return true;
    return false;
  };
  const isButton = ({ element, style, width, height, isFilled }: VisibleElement) => {
    if (height < 16 || height > 100 || width < 24 || width > 600) return false;
    const { localName } = element;
    const isSubmit = localName === 'input' && /^(submit|button|reset)$/.test(typeOf(element));
    const isMade = isSubmit || localName === 'button' || element.getAttribute('role') === 'button';
    const isNamed = /(^|[\s_-])(btn|button|cta)/.test(namesOf(element)) && style.cursor === 'pointer';
    // An inline link may have a background too, but no padding.
    const isRoomy = style.display !== 'inline' && Number.parseFloat(style.paddingLeft) >= 6;
    const isFramed = widthOf(style, 'left') > 0 && widthOf(style, 'top') > 0;
    return (
      (isMade || ((isNamed || localName === 'a') && isRoomy)) &&
      (isFilled || isFramed) &&
      (isSubmit || hasText(element))
    );
  };
  const isInput = ({ element }: VisibleElement) =>
    /^(textarea|select)$/.test(element.localName) ||
    (element.localName === 'input' &&
      /^(|text|email|search|tel|url|password|number|date)$/.test(typeOf(element)));

  const controlOf = ({ style, gradient, area, parent }: VisibleElement): Control => {
    // Some fields have only a bottom border.
    const side = ['left', 'bottom'].find((each) => widthOf(style, each) > 0);
    return {
      background: style.backgroundColor,
      gradient,
      color: style.color,
      area,
      borderColor: side ? style.getPropertyValue(`border-${side}-color`) : '',
      borderStyle: side ? style.getPropertyValue(`border-${side}-style`) : '',
      radius: style.borderTopLeftRadius,
      shadow: style.boxShadow === 'none' ? '' : style.boxShadow.slice(0, 300),
      backgroundIndex: elements[parent]?.backgroundIndex ?? 0,
    };
  };

  const buttons: Button[] = [];
  const inputs: Control[] = [];
  for (const item of elements) {
    const { element, region, parent, area } = item;
    if (elements[parent]?.role === 'button') item.role = 'button';
    else if (area && isButton(item)) {
      item.role = 'button';
      const hints = `${namesOf(element)} ${typeOf(element)}`;
      if (buttons.length < limit) buttons.push({ ...controlOf(item), hints, region });
    } else if (area && isInput(item) && inputs.length < limit) inputs.push(controlOf(item));
  }
  return { buttons, inputs };
}
