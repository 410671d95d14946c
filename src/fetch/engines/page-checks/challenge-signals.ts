import { scanTags } from './scan-tags.ts';

/** The signals that distinguish a challenge from a normal page. */
export interface ChallengeSignals {
  /** Characters of text outside of headers, footers, navigation and the frames of captchas. */
  content: number;
  /** Characters of text inside such an element that is still open at the end of the HTML. */
  unclosed: number;
  /** The beginning of that text. */
  text: string;
  /** The text of the title and of the headings `h1` to `h3`. */
  subject: string;
  /** Whether the page has a visible captcha. */
  hasCaptcha: boolean;
  /** Whether the page has input fields other than those of a captcha. */
  hasFields: boolean;
  /**
   * Whether a captcha is in the same form as other input fields, so that it protects the form and not the
   * page.
   */
  guardsFields: boolean;
}

/** Elements around the content, which sites include in challenges too. */
const BOILERPLATE_ELEMENTS = new Set(['header', 'footer', 'nav', 'aside']);
const HEADING = /^h[1-3]$/;
/** Class names, IDs and image URLs of captchas. */
const CAPTCHA = /\s(?:class|id)\s*=\s*["']?[^"'<>]{0,100}(?:captcha|cf-turnstile)/;
const CAPTCHA_PICTURE = /\ssrc\s*=\s*["']?[^"'<>\s]{0,300}captcha/;
/** Marks of invisible captchas, which run on normal pages and need no action of the visitor. */
const INVISIBLE_CAPTCHA = /size\s*=\s*["']?invisible|grecaptcha-badge/;
/** Elements that are never captcha widgets, whatever their class. */
const NEVER_WIDGET = new Set(['html', 'body', 'form', 'input', 'button', 'a', 'label', 'link', 'meta']);
/** Inputs that take no text, and fields for the solution of a captcha. */
const NON_TEXT_INPUT = /\stype\s*=\s*["']?(?:hidden|submit|button|image|reset|checkbox|radio)\b/;
const CAPTCHA_FIELD = /\s(?:name|id)\s*=\s*["']?(?:[^"'<>\s]{0,100}captcha|[^"'<>\s]{0,100}-response)/;
const MAX_TEXT = 4_000;

/**
 * Whether an element is the frame of a captcha: an `iframe` in unrendered HTML, or its replacement in a
 * rendered page.
 */
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
    content: 0,
    unclosed: 0,
    text: '',
    subject: '',
    hasCaptcha: false,
    hasFields: false,
    guardsFields: false,
  };
  /**
   * The open element whose text does not count: its name, the number of open elements with this name, and the
   * number of characters inside it.
   */
  const boilerplate = { name: '', depth: 0, characters: 0 };
  let heading = '';
  /** The signals of the open form, or of the part between two forms. */
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
  if (boilerplate.depth) found.unclosed = boilerplate.characters;
  return found;
}
