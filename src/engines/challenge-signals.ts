import { scanTags } from './scan-tags.ts';

/** Signals that tell a challenge from a page. */
export interface ChallengeSignals {
  /** Characters of text outside of headers, footers, navigation and the frames of captchas. */
  content: number;
  /** The beginning of that text. */
  text: string;
  /** Title and headings. */
  subject: string;
  /** A captcha can be seen. */
  hasCaptcha: boolean;
  /** The page has input fields other than those of a captcha. */
  hasFields: boolean;
  /** A captcha is in the same form as such fields, so it protects the form, not the page. */
  guardsFields: boolean;
}

/** Elements around the content, which sites show with whatever they send. */
const BOILERPLATE_ELEMENTS = new Set(['header', 'footer', 'nav', 'aside']);
const HEADING = /^h[1-3]$/;
/** Widgets, pictures and boxes of captchas, by what they are called. */
const CAPTCHA = /\s(?:class|id)\s*=\s*["']?[^"'<>]{0,100}(?:captcha|cf-turnstile)/;
const CAPTCHA_PICTURE = /\ssrc\s*=\s*["']?[^"'<>\s]{0,300}captcha/;
/** Invisible captchas watch whole sites or submit buttons. */
const INVISIBLE_CAPTCHA = /size\s*=\s*["']?invisible|grecaptcha-badge/;
/** Elements that are never captcha widgets, whatever their class. */
const NEVER_WIDGET = new Set(['html', 'body', 'form', 'input', 'button', 'a', 'label', 'link', 'meta']);
/** Inputs that nobody writes into, and what is written about a captcha. */
const NON_TEXT_INPUT = /\stype\s*=\s*["']?(?:hidden|submit|button|image|reset|checkbox|radio)\b/;
const CAPTCHA_FIELD = /\s(?:name|id)\s*=\s*["']?(?:[^"'<>\s]{0,100}captcha|[^"'<>\s]{0,100}-response)/;
const MAX_TEXT = 4_000;

/** A frame of a captcha, as it was sent or as a rendered page has it. */
const isCaptchaFrame = (name: string, tag: string) =>
  (name === 'iframe' || tag.includes('data-original-tag="iframe"')) && /captcha|turnstile/.test(tag);

function isWidget(name: string, tag: string): boolean {
  if (NEVER_WIDGET.has(name) || INVISIBLE_CAPTCHA.test(tag)) return false;
  return CAPTCHA.test(tag) || isCaptchaFrame(name, tag) || (name === 'img' && CAPTCHA_PICTURE.test(tag));
}

const isField = (tag: string) => !NON_TEXT_INPUT.test(tag) && !CAPTCHA_FIELD.test(tag);

/** Reads the signals in one pass. @param html lower-case HTML */
export function readChallengeSignals(html: string): ChallengeSignals {
  const found: ChallengeSignals = {
    ...{ content: 0, text: '', subject: '' },
    ...{ hasCaptcha: false, hasFields: false, guardsFields: false },
  };
  /** An element whose text does not count, how many of its name are open, and how much text that is. */
  const boilerplate = { name: '', depth: 0, characters: 0 };
  let heading = '';
  /** What stands in the form that is open, or between forms. */
  let form = { hasCaptcha: false, hasFields: false };
  const leaveForm = () => {
    found.hasCaptcha ||= form.hasCaptcha;
    found.hasFields ||= form.hasFields;
    found.guardsFields ||= form.hasCaptcha && form.hasFields;
    form = { hasCaptcha: false, hasFields: false };
  };

  scanTags(html, {
    comment: () => undefined,
    text(text) {
      if (boilerplate.depth) {
        boilerplate.characters += text.length;
        return;
      }
      found.content += text.length;
      if (found.text.length < MAX_TEXT) found.text += ` ${text}`;
      if (heading && found.subject.length < MAX_TEXT) found.subject += ` ${text}`;
    },
    open(name, tag) {
      if (boilerplate.depth) {
        if (name === boilerplate.name) boilerplate.depth++;
        return;
      }
      if (isWidget(name, tag)) form.hasCaptcha = true;
      const isFrame = name !== 'iframe' && isCaptchaFrame(name, tag);
      if (BOILERPLATE_ELEMENTS.has(name) || isFrame)
        Object.assign(boilerplate, { name, depth: 1, characters: 0 });
      if (HEADING.test(name)) heading = name;
      if (name === 'form') leaveForm();
      if (name === 'input' && isField(tag)) form.hasFields = true;
    },
    close(name) {
      if (boilerplate.depth && name === boilerplate.name) boilerplate.depth--;
      if (name === heading) heading = '';
      if (name === 'form') leaveForm();
    },
    hidden(name, tag, inside) {
      if (name === 'title') found.subject += ` ${inside.slice(0, MAX_TEXT)}`;
      if (!boilerplate.depth && (name === 'textarea' || name === 'select') && isField(tag))
        form.hasFields = true;
    },
  });
  leaveForm();
  // An unclosed header contains the whole page, so its text counts.
  if (boilerplate.depth) found.content += boilerplate.characters;
  return found;
}
