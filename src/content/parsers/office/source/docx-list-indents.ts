import { Parser } from 'htmlparser2';

/** The list and the indent that a paragraph or its style names. */
export interface ListProperties {
  style?: string;
  /** Identifier of the numbering; `0` for none. */
  numId?: string;
  /** Level of the list, from 0. */
  level?: string;
  /** Left indent in twips. */
  indent?: number;
}

/** How a list item is written. */
interface ListLevel {
  /** Left indent in twips, if it is known. */
  listIndent?: number;
  /** Whether its label is a checked or an empty box; absent for other labels. */
  isChecked?: boolean;
}

/** Finds the properties of a list item; none for a paragraph that is no item. */
export type FindListLevel = (paragraph: ListProperties) => ListLevel;

/** The longest chain of styles that extend each other. */
const MAX_STYLES = 20;

const CHECKED = /^[☑☒✓✔]$/;
const UNCHECKED = /^[☐□]$/;

/**
 * Reads the labels that are boxes, and how far the items of lists are indented, by which readers see that a list belongs to an item of
 * another one: Word has styles such as List Bullet 2 that are lists of their own.
 * @param parts the XML of `word/styles.xml` and `word/numbering.xml`
 */
export function readListLevels(parts: { styles: string; numbering: string }): FindListLevel {
  const styles = readStyles(parts.styles);
  const levels = readLevels(parts.numbering);
  return (paragraph) => {
    const chain = [paragraph];
    let style = styles.get(paragraph.style ?? '');
    while (style && chain.length < MAX_STYLES) {
      chain.push(style);
      style = styles.get(style.style ?? '');
    }
    // The list is that of the paragraph, else of the first of its styles that names one. Indents of later
    // styles do not count.
    const place = chain.findIndex(({ numId }) => numId !== undefined);
    const { numId, level } = chain[place] ?? {};
    if (numId === undefined || numId === '0') return {};
    const own = chain.slice(0, place + 1).find(({ indent }) => indent !== undefined)?.indent;
    const depth = chain.find((each) => each.level !== undefined)?.level ?? level ?? '0';
    const found = levels.get(`${numId} ${depth}`);
    return own === undefined ? (found ?? {}) : { ...found, listIndent: own };
  };
}

/**
 * Adds a property of a paragraph to what is known of its list.
 * @param name the name of the element in `w:pPr`
 */
export function addListProperty(
  properties: ListProperties,
  name: string,
  attributes: Record<string, string>,
): void {
  const value = attributes['w:val'];
  if (name === 'w:pStyle' && value !== undefined) properties.style = value;
  if (name === 'w:numId' && value !== undefined) properties.numId = value;
  if (name === 'w:ilvl' && value !== undefined) properties.level = value;
  const left = Number(attributes['w:left'] ?? attributes['w:start']);
  if (name === 'w:ind' && Number.isFinite(left)) properties.indent = left;
}

/** Paragraph styles by their identifiers; `style` is the one that they extend. */
function readStyles(xml: string): Map<string, ListProperties> {
  const styles = new Map<string, ListProperties>();
  let current: ListProperties | undefined;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (name === 'w:style') {
          current = attributes['w:type'] === 'paragraph' ? {} : undefined;
          if (current) styles.set(attributes['w:styleId'] ?? '', current);
        } else if (current && name === 'w:basedOn') current.style = attributes['w:val'] ?? '';
        else if (current) addListProperty(current, name, attributes);
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return styles;
}

/** The levels of each numbering, by its identifier, a space and the level. */
function readLevels(xml: string): Map<string, ListLevel> {
  const abstract = new Map<string, Map<string, ListLevel>>();
  const found = new Map<string, ListLevel>();
  let levels = new Map<string, ListLevel>();
  let [level, number] = ['', ''];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const left = Number(attributes['w:left'] ?? attributes['w:start']);
        const label = name === 'w:lvlText' ? (attributes['w:val'] ?? '') : '';
        if (name === 'w:abstractNum') {
          levels = new Map();
          abstract.set(attributes['w:abstractNumId'] ?? '', levels);
        } else if (name === 'w:lvl') level = attributes['w:ilvl'] ?? '';
        else if (name === 'w:ind' && Number.isFinite(left))
          levels.set(level, { ...levels.get(level), listIndent: left });
        else if (CHECKED.test(label) || UNCHECKED.test(label))
          levels.set(level, { ...levels.get(level), isChecked: CHECKED.test(label) });
        else if (name === 'w:num') {
          number = attributes['w:numId'] ?? '';
          // A numbering that overrides levels of its definition does not change their indents.
          levels = new Map();
        } else if (name === 'w:abstractNumId')
          for (const [each, properties] of abstract.get(attributes['w:val'] ?? '') ?? [])
            found.set(`${number} ${each}`, properties);
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return found;
}
