/** A page in some encoding, and the text that must be read from it. */
export interface EncodedPage {
  contentType: string;
  body: Buffer;
  /** The text of its paragraph. */
  text: string;
}

const JAPANESE = '日本語のページです。文字化けせずに読めますか。';
const JAPANESE_BYTES = Buffer.from(
  '93fa967b8cea82cc8379815b835782c582b7814295b68e9a89bb82af82b982b882c993c782df82dc82b782a98142',
  'hex',
);
const WESTERN = 'Größe, façade, naïve: “quoted” for 5 €';

/** Encodes as Windows-1252, which is Latin-1 except for a few characters; the text contains three of them. */
const western = () =>
  Buffer.from(WESTERN.replace('“', '\x93').replace('”', '\x94').replace('€', '\x80'), 'latin1');

function page(contentType: string, text: string, bytes: Buffer, head = ''): EncodedPage {
  const html = (part: string) => Buffer.from(part, 'latin1');
  const before = `<!DOCTYPE html><html><head>${head}<title>Letters</title></head><body><p id="text">`;
  return { contentType, text, body: Buffer.concat([html(before), bytes, html('</p></body></html>')]) };
}

/** The pages below `/charset/`, by the way in which they declare their encoding. */
export const CHARSET_PAGES: Record<string, EncodedPage> = {
  shift_jis: page('text/html; charset=shift_jis', JAPANESE, JAPANESE_BYTES),
  'shift_jis-meta': page('text/html', JAPANESE, JAPANESE_BYTES, '<meta charset="Shift_JIS">'),
  'windows-1252': page('text/html; charset=windows-1252', WESTERN, western()),
  // Browsers read ISO-8859-1 as Windows-1252.
  'iso-8859-1': page('text/html; charset=iso-8859-1', WESTERN, western()),
  undeclared: page('text/html', JAPANESE, Buffer.from(JAPANESE)),
  // The header is wrong and contradicts the page; browsers obey the header.
  wrong: page('text/html; charset=utf-8', WESTERN, Buffer.from(WESTERN), '<meta charset="windows-1252">'),
  unknown: page(
    'text/html; charset=no-such-charset',
    WESTERN,
    Buffer.from(WESTERN),
    '<meta charset="utf-8">',
  ),
};
