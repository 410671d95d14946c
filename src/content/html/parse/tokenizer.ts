import {
  html,
  InsertionMode,
  type Parser,
  Token,
  type TokenHandler,
  Tokenizer,
  TokenizerMode,
  type TreeAdapterTypeMap,
} from 'parse5';

const { TokenType } = Token;

/**
 * Insertion modes in which only white space is kept. The fast path is not used, because it only separates
 * leading white space from text.
 */
const FRAMES: ReadonlySet<InsertionMode> = new Set([
  InsertionMode.IN_FRAMESET,
  InsertionMode.AFTER_FRAMESET,
  InsertionMode.AFTER_AFTER_FRAMESET,
]);

/** Insertion modes in which white space before a text is treated as a part of it. */
const LIKE_BODY: ReadonlySet<InsertionMode> = new Set([
  InsertionMode.IN_BODY,
  InsertionMode.IN_CAPTION,
  InsertionMode.IN_CELL,
  InsertionMode.TEXT,
]);

/**
 * Tags with more attributes are left to parse5, because the search for duplicate names here takes quadratic
 * time.
 */
const MAX_ATTRIBUTES = 32;
/**
 * Finds a character reference that the fast path does not decode. In an attribute, a name that is followed by
 * an equals sign is not a reference.
 */
const OTHER_REFERENCE = /&(?!(?:amp|quot|lt|gt|nbsp|#0?39|#34|#x27);|[a-zA-Z\d]*=|[^a-zA-Z\d#]|$)/;
const REFERENCE = /&(?:amp|quot|lt|gt|nbsp|#0?39|#34|#x27);/g;
const CHARACTERS: Record<string, string> = {
  '&amp;': '&',
  '&quot;': '"',
  '&lt;': '<',
  '&gt;': '>',
  '&nbsp;': '\u00a0',
  '&#39;': "'",
  '&#039;': "'",
  '&#34;': '"',
  '&#x27;': "'",
};

/**
 * Names that are common. A page has the same names very often, and each is a part of its text; with one
 * string for all of them, V8 compares and looks up names by their address instead of their characters.
 */
const TAGS = new Map<string, { name: string; id: html.TAG_ID }>(
  Object.values(html.TAG_NAMES)
    .filter((name) => name === name.toLowerCase())
    .map((name) => [name, { name, id: html.getTagID(name) }]),
);
const ATTRIBUTE_NAMES = new Map(
  (
    'action align alt aria-controls aria-expanded aria-hidden aria-label aria-labelledby charset class colspan content d data-src ' +
    'data-srcset data-testid datetime decoding dir fetchpriority fill for height hidden href id itemid itemprop itemscope ' +
    'itemtype lang loading media method name placeholder property rel role rowspan scope sizes src srcset start style tabindex ' +
    'target title type value viewbox width xmlns'
  )
    .split(' ')
    .map((name) => [name, name]),
);

const TAB = 9;
const LINE_FEED = 10;
const FORM_FEED = 12;
const SPACE = 32;
const QUOTE = 34;
const APOSTROPHE = 39;
const SLASH = 47;
const LESS = 60;
const EQUALS = 61;
const GREATER = 62;
const GRAVE = 96;

const isBlank = (code: number) => code === SPACE || code === LINE_FEED || code === TAB || code === FORM_FEED;
const isLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);

/** The state of parse5's parser on which the meaning of white space depends. */
interface ParserState {
  readonly insertionMode: InsertionMode;
  readonly skipNextNewLine: boolean;
}

/** The occurrences of a text in a page, which are searched from the front to the back, each once. */
class Occurrences {
  readonly #text: string;
  /** The position of the occurrence that was found last. */
  #at = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** The position of the first occurrence from a position on; the end of the page if there is none. */
  next(page: string, from: number): number {
    if (this.#at < from) {
      const found = page.indexOf(this.#text, from);
      this.#at = found < 0 ? page.length : found;
    }
    return this.#at;
  }
}

/**
 * parse5's tokenizer with a fast path for text without character references, well-formed tags and comments.
 * The fast path consumes whole tokens where parse5 consumes single characters. Everything else is left to
 * parse5's state machine, so the tokens are the same for every page.
 */
class FastTokenizer extends Tokenizer {
  readonly #parser: ParserState;
  #isQuick = false;
  readonly #lessSigns = new Occurrences('<');
  readonly #ampersands = new Occurrences('&');
  readonly #commentEnds = new Occurrences('-->');
  readonly #otherCommentEnds = new Occurrences('--!>');
  /** The token of all end tags: unlike that of a start tag, the parser does not keep it. */
  readonly #endTagToken = emptyTag(TokenType.END_TAG);

  constructor(parser: TokenHandler & ParserState) {
    super({}, parser);
    this.#parser = parser;
  }

  /** Tokenizes a whole page. */
  read(page: string): void {
    // With line ends normalized, parse5 does not have to handle them specially.
    const text = page.includes('\r') ? page.replace(/\r\n?/g, '\n') : page;
    this.#isQuick = !text.includes('\0');
    this.preprocessor.bufferWaterline = Number.POSITIVE_INFINITY;
    this.write(text, true);
  }

  protected override _runParsingLoop(): void {
    if (!this.#isQuick || this.inLoop) {
      super._runParsingLoop();
      return;
    }
    this.inLoop = true;
    while (this.active) {
      if (this.#leap()) continue;
      this.consumedAfterSnapshot = 0;
      this._callState(this._consume());
    }
    this.inLoop = false;
  }

  /** Consumes the next token if the fast path applies. @returns whether it did */
  #leap(): boolean {
    const { html: page, pos } = this.preprocessor;
    const from = pos + 1;
    switch (this.state) {
      case TokenizerMode.DATA:
        return page.charCodeAt(from) === LESS ? this.#markup(page, from) : this.#text(page, from, true);
      case TokenizerMode.RCDATA:
        return this.#text(page, from, true);
      case TokenizerMode.RAWTEXT:
      case TokenizerMode.SCRIPT_DATA:
        return this.#text(page, from, false);
      default:
        return false;
    }
  }

  #text(page: string, from: number, hasReferences: boolean): boolean {
    const { insertionMode, skipNextNewLine } = this.#parser;
    if (FRAMES.has(insertionMode)) return false;
    let to = this.#lessSigns.next(page, from);
    if (hasReferences) to = Math.min(to, this.#ampersands.next(page, from));
    if (to <= from) return false;
    if (this.currentCharacterToken) this._emitCurrentCharacterToken(null);
    let word = from;
    while (word < to && isBlank(page.charCodeAt(word))) word++;
    const isOneText = word < to && LIKE_BODY.has(insertionMode) && !skipNextNewLine;
    if (word > from && !isOneText) {
      const chars = page.slice(from, word);
      this.handler.onWhitespaceCharacter({ type: TokenType.WHITESPACE_CHARACTER, chars, location: null });
    }
    if (to > word) {
      const chars = page.slice(isOneText ? from : word, to);
      this.handler.onCharacter({ type: TokenType.CHARACTER, chars, location: null });
    }
    this.preprocessor.pos = to - 1;
    return true;
  }

  #markup(page: string, from: number): boolean {
    const next = page.charCodeAt(from + 1);
    if (isLetter(next)) return this.#startTag(page, from + 1);
    if (next === SLASH) return this.#endTag(page, from + 2);
    return page.startsWith('!--', from + 1) && this.#comment(page, from + 4);
  }

  #comment(page: string, from: number): boolean {
    const first = page.charCodeAt(from);
    const end = this.#commentEnds.next(page, from);
    // Other ends of a comment (`<!-->`, `<!--->`, `--!>`) are left to parse5.
    if (
      first === GREATER ||
      first === 45 ||
      end === page.length ||
      this.#otherCommentEnds.next(page, from) < end
    )
      return false;
    this.#endText();
    this.handler.onComment({ type: TokenType.COMMENT, data: page.slice(from, end), location: null });
    this.preprocessor.pos = end + 2;
    return true;
  }

  #endTag(page: string, from: number): boolean {
    // `</-->` and `</1>` are comments, because a name begins with a letter.
    if (!isLetter(page.charCodeAt(from))) return false;
    const nameEnd = this.#nameEnd(page, from);
    let at = nameEnd;
    while (isBlank(page.charCodeAt(at))) at++;
    if (page.charCodeAt(at) !== GREATER) return false;
    this.#endText();
    nameTag(this.#endTagToken, page.slice(from, nameEnd));
    this.preprocessor.pos = at;
    this.handler.onEndTag(this.#endTagToken);
    return true;
  }

  #startTag(page: string, from: number): boolean {
    const nameEnd = this.#nameEnd(page, from);
    const after = page.charCodeAt(nameEnd);
    if (after !== GREATER && after !== SLASH && !isBlank(after)) return false;
    const token = emptyTag(TokenType.START_TAG);
    nameTag(token, page.slice(from, nameEnd));
    const end = readAttributes(page, nameEnd, token);
    if (end < 0) return false;
    this.#endText();
    this.preprocessor.pos = end;
    this.lastStartTagName = token.tagName;
    this.handler.onStartTag(token);
    return true;
  }

  /** The end of a tag name of letters, digits and hyphens that begins at a letter. */
  #nameEnd(page: string, from: number): number {
    let at = from;
    for (let code = page.charCodeAt(at); isLetter(code) || (code >= 48 && code <= 57) || code === 45; ) {
      code = page.charCodeAt(++at);
    }
    return at;
  }

  #endText(): void {
    if (this.currentCharacterToken) this._emitCurrentCharacterToken(null);
  }
}

const emptyTag = (type: Token.TagToken['type']): Token.TagToken => ({
  type,
  tagName: '',
  tagID: html.TAG_ID.UNKNOWN,
  selfClosing: false,
  ackSelfClosing: false,
  attrs: [],
  location: null,
});

function nameTag(token: Token.TagToken, written: string): void {
  const known = TAGS.get(written);
  token.tagName = known?.name ?? written.toLowerCase();
  token.tagID = known?.id ?? html.getTagID(token.tagName);
}

/**
 * Reads the attributes of a tag.
 * @returns the position of its `>`, or -1 if the tag must be left to parse5
 */
function readAttributes(page: string, from: number, token: Token.TagToken): number {
  for (let at = from; ; ) {
    let code = page.charCodeAt(at);
    while (isBlank(code)) code = page.charCodeAt(++at);
    if (code === GREATER) return at;
    if (code === SLASH && page.charCodeAt(at + 1) === GREATER) {
      token.selfClosing = true;
      return at + 1;
    }
    const start = at;
    let isPlain = true;
    while (isNamePart(code)) {
      if (code >= 65 && (code <= 90 || code > 126)) isPlain = false;
      code = page.charCodeAt(++at);
    }
    if (at === start || token.attrs.length === MAX_ATTRIBUTES) return -1;
    const written = page.slice(start, at);
    const lower = isPlain ? written : written.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    const name = ATTRIBUTE_NAMES.get(lower) ?? lower;
    while (isBlank(code)) code = page.charCodeAt(++at);
    let value = '';
    if (code === EQUALS) {
      code = page.charCodeAt(++at);
      while (isBlank(code)) code = page.charCodeAt(++at);
      const valueEnd = endOfValue(page, at, code);
      if (valueEnd < 0) return -1;
      const isQuoted = code === QUOTE || code === APOSTROPHE;
      value = page.slice(isQuoted ? at + 1 : at, valueEnd);
      if (value.includes('&')) {
        if (OTHER_REFERENCE.test(value)) return -1;
        value = value.replace(REFERENCE, (reference) => CHARACTERS[reference] ?? reference);
      }
      at = isQuoted ? valueEnd + 1 : valueEnd;
    }
    // Most tags with attributes have one, and V8 makes room for sixteen more as soon as a list grows.
    if (token.attrs.length === 0) token.attrs = [{ name, value }];
    // The first attribute of a name takes precedence.
    else if (!token.attrs.some((attribute) => attribute.name === name)) token.attrs.push({ name, value });
  }
}

/**
 * Whether a character belongs to a well-formed attribute name. NaN, the code at the end of the page, does
 * not.
 */
const isNamePart = (code: number) =>
  code > SPACE &&
  code !== QUOTE &&
  code !== APOSTROPHE &&
  code !== SLASH &&
  code !== LESS &&
  code !== EQUALS &&
  code !== GREATER;

function endOfValue(page: string, at: number, first: number): number {
  if (first === QUOTE) return page.indexOf('"', at + 1);
  if (first === APOSTROPHE) return page.indexOf("'", at + 1);
  let end = at;
  let code = first;
  while (isNamePart(code) || code === SLASH) {
    if (code === GRAVE) return -1;
    code = page.charCodeAt(++end);
  }
  return end > at && (code === GREATER || isBlank(code)) ? end : -1;
}

/** Builds the tree of a page with parse5, from the tokens of {@link FastTokenizer}. */
export function buildTree<Types extends TreeAdapterTypeMap>(
  parser: Parser<Types>,
  page: string,
): Types['document'] {
  const tokenizer = new FastTokenizer(parser);
  parser.tokenizer = tokenizer;
  tokenizer.read(page);
  return parser.document;
}
