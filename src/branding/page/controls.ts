import type { Button, Control } from '../survey.ts';
import type { Left, Seen } from './seen.ts';

/**
 * Runs in the page: buttons and fields among what `seeElements` has found; the text of buttons is marked as such.
 * @param most of each kind
 */
export function surveyControls(most: number): { buttons: Button[]; inputs: Control[] } {
  const all = (globalThis as Left).winnowSeen ?? [];
  const typeOf = (element: Element) => (element.getAttribute('type') ?? '').toLowerCase();
  const namesOf = ({ classList }: Element) => classList.value.slice(0, 300).toLowerCase();
  const widthOf = (style: CSSStyleDeclaration, side: string) =>
    Number.parseFloat(style.getPropertyValue(`border-${side}-width`));

  /** Whether there is anything to read in it, as far as its first texts tell. */
  const hasText = (element: Element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let texts = 0; texts < 20 && walker.nextNode(); texts++)
      if (/\p{L}/u.test((walker.currentNode.nodeValue ?? '').slice(0, 200))) return true;
    return false;
  };
  const isButton = ({ element, style, width, height, isFilled }: Seen) => {
    if (height < 16 || height > 100 || width < 24 || width > 600) return false;
    const { localName } = element;
    const isSubmit = localName === 'input' && /^(submit|button|reset)$/.test(typeOf(element));
    const isMade = isSubmit || localName === 'button' || element.getAttribute('role') === 'button';
    const isNamed = /(^|[\s_-])(btn|button|cta)/.test(namesOf(element)) && style.cursor === 'pointer';
    // A link in a text may have a background too, but no room around it.
    const isRoomy = style.display !== 'inline' && Number.parseFloat(style.paddingLeft) >= 6;
    const isFramed = widthOf(style, 'left') > 0 && widthOf(style, 'top') > 0;
    return (
      (isMade || ((isNamed || localName === 'a') && isRoomy)) &&
      (isFilled || isFramed) &&
      (isSubmit || hasText(element))
    );
  };
  const isInput = ({ element }: Seen) =>
    /^(textarea|select)$/.test(element.localName) ||
    (element.localName === 'input' &&
      /^(|text|email|search|tel|url|password|number|date)$/.test(typeOf(element)));

  const controlOf = ({ style, gradient, area, parent }: Seen): Control => {
    // Some fields have but a line under them.
    const side = ['left', 'bottom'].find((each) => widthOf(style, each) > 0);
    return {
      ...{ background: style.backgroundColor, gradient, color: style.color, area },
      borderColor: side ? style.getPropertyValue(`border-${side}-color`) : '',
      borderStyle: side ? style.getPropertyValue(`border-${side}-style`) : '',
      radius: style.borderTopLeftRadius,
      shadow: style.boxShadow === 'none' ? '' : style.boxShadow.slice(0, 300),
      ground: all[parent]?.ground ?? 0,
    };
  };

  const buttons: Button[] = [];
  const inputs: Control[] = [];
  for (const one of all) {
    const { element, region, parent, area } = one;
    if (all[parent]?.role === 'button') one.role = 'button';
    else if (area && isButton(one)) {
      one.role = 'button';
      const hints = `${namesOf(element)} ${typeOf(element)}`;
      if (buttons.length < most) buttons.push({ ...controlOf(one), hints, region });
    } else if (area && isInput(one) && inputs.length < most) inputs.push(controlOf(one));
  }
  return { buttons, inputs };
}
