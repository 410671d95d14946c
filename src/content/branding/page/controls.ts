import type { PageElement } from '../../open-page/page-dom.ts';
import { pageFunction } from '../../open-page/page-function.ts';
import { type Button, type Control, Controls } from '../branding-data.ts';
import type { VisibleElement } from './visible-elements.ts';

/**
 * Runs in the page: collects buttons and input fields among the visible elements, and sets the role of the
 * text in buttons to `button`.
 * @param limit most buttons, and most fields
 */
export const collectControls = pageFunction(Controls, (limit: number, dom) => {
  const elements = dom.keep<VisibleElement[]>('visibleElements', () => []);
  const MAX_NAMES_LENGTH = 300;
  const lowerCase = (element: PageElement, attribute: string) =>
    (dom.attribute(element, attribute) ?? '').slice(0, MAX_NAMES_LENGTH).toLowerCase();
  const typeOf = (element: PageElement) => lowerCase(element, 'type');
  const namesOf = (element: PageElement) => lowerCase(element, 'class');
  const widthOf = (style: CSSStyleDeclaration, side: string) =>
    Number.parseFloat(style.getPropertyValue(`border-${side}-width`));

  /** Whether the first 20 text nodes contain a letter. */
  const hasText = (element: PageElement) => {
    const walker = dom.walker(element, NodeFilter.SHOW_TEXT);
    let text = walker.nextNode();
    for (let texts = 0; texts < 20 && text; texts++, text = walker.nextNode())
      if (/\p{L}/u.test((dom.nodeValue(text) ?? '').slice(0, 200))) return true;
    return false;
  };
  const isButton = ({ element, style, width, height, isFilled }: VisibleElement) => {
    if (height < 16 || height > 100 || width < 24 || width > 600) return false;
    const localName = dom.localName(element);
    const isSubmit = localName === 'input' && /^(submit|button|reset)$/.test(typeOf(element));
    const isMade = isSubmit || localName === 'button' || dom.attribute(element, 'role') === 'button';
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
  const isInput = ({ element }: VisibleElement) => {
    const localName = dom.localName(element);
    return (
      /^(textarea|select)$/.test(localName) ||
      (localName === 'input' && /^(|text|email|search|tel|url|password|number|date)$/.test(typeOf(element)))
    );
  };

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
});
