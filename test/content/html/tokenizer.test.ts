import serialize from 'dom-serializer';
import type { ChildNode } from 'domhandler';
import fc from 'fast-check';
import { Parser, parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import { buildTree } from '../../../src/content/html/parse/tokenizer.ts';
import { BoundedAdapter } from '../../../src/content/html/parse/tree-adapter.ts';
import { propertyRuns } from '../../support/suite/corpus.ts';

/**
 * Names, attributes and texts of a tree, with their bounds: texts that touch would hide behind plain HTML.
 */
function shapeOf(nodes: ChildNode[]): unknown[] {
  return nodes.map((node) => {
    const children = 'children' in node ? shapeOf(node.children) : [];
    const data = 'data' in node ? node.data : '';
    return 'attribs' in node
      ? [node.name, node.namespace, Object.entries(node.attribs), children]
      : [node.type, data, children];
  });
}

function treesOf(page: string): { ours: ChildNode[]; theirs: ChildNode[] } {
  const options = () => ({ treeAdapter: new BoundedAdapter(), scriptingEnabled: false });
  return {
    ours: buildTree(new Parser(options()), page).children,
    theirs: parse(page, options()).children,
  };
}

const same = (page: string) => {
  const { ours, theirs } = treesOf(page);
  expect(shapeOf(ours)).toEqual(shapeOf(theirs));
};

describe('the tree is the same as that of parse5 for', () => {
  it.each([
    ['text before anything', ' \n a b <p>c'],
    [
      'references',
      '<p title="a&amp;b&nbsp;&quot;&#39;&AMP;&copy;&notit;&copy=1&x=2&">&amp; &nbsp;&copy &notin; &#x41;&',
    ],
    ['an unclosed reference at the end of a value', '<a href="?a&copy">x</a><a href=?a&lt>y'],
    ['attributes of all kinds', '<p a b=c d=\'e\' f="g"h i = j K=L a=2 ü=ö É=É / =x "y" z`=1 w=`>t</p >'],
    ['values without quotes', '<a href=/x/>y</a><br/><img src=a.png/><a b=c"d>e'],
    ['tags that never end', '<p>a<b class="x>y'],
    ['an end tag with attributes', '<p>a</p class=x>b</ p>c</>d'],
    ['end tags whose names begin with no letter', '</--><p>a</-->b</1>c</-d></2 >e'],
    ['names of many signs', '<my-element.x_y:Z a:b=1>x</my-element.x_y:Z><h1 / >y'],
    ['comments', '<!--a--><!--><!---><!--a--!>b<!--c<!--d-->e<!-- --!--><!x><?y><!--never'],
    ['line ends', '<pre>\r\n\r\na\rb\n</pre><textarea>\n\nx</textarea><p title="a\r\nb">c\r'],
    ['no characters', 'a\0b<p title="\0">\0</p><script>\0</script>'],
    ['scripts', '<script>a<b && "</div>" <!-- <script>x</script> --> c</script>d<style>p > a{}</style>e'],
    [
      'texts of their own kind',
      '<title>a &amp; <b></title><textarea> <p> &lt;</textarea><noscript><p>x</noscript>',
    ],
    [
      'white space before texts',
      ' <title> a</title> <pre>\n b</pre><pre> \n c</pre><b> d<svg> e</svg> f</b><table><caption> g<td> h</table> i',
    ],
    ['attributes that come late', '<p>a<body class=b><html lang=c><body id=d class=e>'],
    ['plain text', '<p>a<plaintext>b</plaintext><p>&amp;'],
    ['frames', '<frameset> a b <frame> c </frameset> d <noframes> e </noframes>'],
    ['tables with text', '<table> a <tr> b <td> c </td> d <b>e f</b></table>'],
    ['columns', '<table><colgroup> a <col> b</colgroup></table>'],
    [
      'pictures and formulas',
      '<svg viewBox="0 0" xlink:href=a><![CDATA[x < y]]><p>z</svg><math definitionurl=a><mi>x',
    ],
    ['choices', '<select> a <option>b c<p>d</select>e'],
    ['templates', '<template> a <td>b</template>c'],
    [
      'documents',
      '<!DOCTYPE html PUBLIC "a" "b"><HTML Lang=en><HEAD> <TITLE>x</TITLE> </HEAD> <BODY>y</BODY> z </HTML> w',
    ],
    ['characters beyond the plane', '<p title="𝒳&amp;🎉">𝒳 y 🎉 &amp; \ud800'],
  ])('%s', (_name, page) => same(page));

  it('more attributes than the fast path reads', () => {
    same(`<p ${Array.from({ length: 100 }, (_, n) => `a${n % 70}=${n}`).join(' ')}>x`);
  });

  it('any page', () => {
    const name = fc.constantFrom(
      'p',
      'b',
      'a',
      'table',
      'td',
      'svg',
      'script',
      'title',
      'pre',
      'select',
      'frameset',
      'H1',
    );
    const piece = fc.oneof(
      name.map((each) => `<${each}>`),
      name.map((each) => `</${each}>`),
      fc
        .tuple(name, fc.constantFrom(' a=b', ' a="&amp;b"', " A='", '/', ' a', ' =', '\n', '"'))
        .map(([each, more]) => `<${each}${more}>`),
      fc.constantFrom(
        '<',
        '>',
        '&',
        '&amp;',
        '&copy',
        '<!--',
        '-->',
        '--!>',
        '<![CDATA[',
        ']]>',
        '\r\n',
        '\0',
        ' ',
        'word',
        '\t',
        '"',
        "'",
        '=',
        '/',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => same(pieces.join(''))),
      propertyRuns(3_000),
    );
  });

  it('its HTML serialization', () => {
    const { ours, theirs } = treesOf('<p class="a&quot;b">x &lt; y</p><!-- c -->');
    expect(serialize(ours)).toBe(serialize(theirs));
  });
});
