import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { decodeBytes, encodingOfCodePage } from '../../../../src/content/parsers/charsets/code-pages.ts';
import { decodeUndeclared } from '../../../../src/content/parsers/charsets/detect-encoding.ts';

const RUSSIAN = 'Имя,Город\nИван,Москва\nОльга,Казань\n';
const GERMAN = 'Name;Straße\nJürgen Müller;Königstraße 0\n';
const POLISH = 'Imię;Miasto\nŁukasz;Łódź\nŚwiętosława;Gdańsk\n';
const GREEK = 'Όνομα;Πόλη\nΓιώργος;Αθήνα\nΜαρία;Θεσσαλονίκη\n';
const JAPANESE = '名前,値\n東京,１\n大阪,２\n';

describe('a short table that declares no encoding is read', () => {
  test.each([
    ['Shift_JIS', JAPANESE],
    ['EUC-JP', JAPANESE],
    ['Shift_JIS', '氏名,住所\n山田太郎,東京都千代田区丸の内\n'],
    ['EUC-JP', '氏名,フリガナ\n山田太郎,ヤマダタロウ\n'],
    // The second bytes of these are ASCII: a backslash and a bar.
    ['Shift_JIS', '表示,ソート\n能力,構成\n'],
    ['GB18030', '姓名,城市\n王伟,北京\n李娜,上海\n'],
    ['Big5', '姓名,城市\n陳志明,臺北\n林美玲,高雄\n'],
    ['EUC-KR', '이름,도시\n김철수,서울\n박영희,부산\n'],
    ['windows-1251', RUSSIAN],
    ['KOI8-R', RUSSIAN],
    ['cp866', RUSSIAN],
    ['macCyrillic', RUSSIAN],
    ['windows-1251', 'Прізвище;Місто\nШевченко;Київ\nЇжак;Львів\n'],
    ['windows-1254', 'İsim;Şehir\nAyşe Gül;Eskişehir\nIşıl;Muğla\n'],
    ['windows-1255', 'שם;עיר\nדוד כהן;תל אביב\n'],
    ['windows-1256', 'الاسم,المدينة\nمحمد,القاهرة\nفاطمة,بغداد\n'],
    ['windows-1253', GREEK],
    ['windows-1250', POLISH],
    ['ISO-8859-2', POLISH],
    ['cp852', POLISH],
    ['windows-1257', 'Vardas;Miestas\nJonas;Šiauliai\nŽivilė;Panevėžys\nAudrius;Kėdainių\n'],
    ['windows-874', 'ชื่อ,เมือง\nสมชาย,กรุงเทพ\nสมหญิง,เชียงใหม่\n'],
    ['windows-1252', GERMAN],
    ['windows-1252', 'Année,Prénom\n1999,Hélène\n'],
    ['windows-1252', 'Nafn;Bær\nÞórður;Akureyri\nGuðrún;Reykjavík\n'],
    ['windows-1252', 'It’s “quoted” – ok\n'],
    ['macintosh', GERMAN],
    ['cp850', GERMAN],
    ['utf-16le', GERMAN],
    ['utf-16be', GERMAN],
  ])('in %s: %j', (encoding, text) => {
    expect(decodeUndeclared(iconv.encode(text, encoding)).text).toBe(text);
  });
});

describe('the encoding of undeclared text', () => {
  test('is certain where the text decides, and else a guess', () => {
    expect(decodeUndeclared(iconv.encode(RUSSIAN, 'windows-1251')).isCertain).toBe(true);
    expect(decodeUndeclared(Buffer.from('plain')).isCertain).toBe(true);
    expect(decodeUndeclared(Buffer.from('M\x9fller', 'latin1'))).toMatchObject({ isCertain: false });
  });

  test('is UTF-8 also where a few bytes are damaged', () => {
    const damaged = Buffer.concat([Buffer.from('Größe, Straße, Äpfel. '.repeat(20)), Buffer.of(0xe4, 0x20)]);
    expect(decodeUndeclared(damaged)).toMatchObject({ encoding: 'utf-8', isCertain: false });
  });

  test('is one that is valid to the end of the file', () => {
    const japanese = iconv.encode('名前,値\n'.repeat(2000), 'Shift_JIS');
    const { encoding } = decodeUndeclared(Buffer.concat([japanese, Buffer.of(0x0a, 0xff, 0xff)]));
    expect(encoding).not.toBe('shift_jis');
  });
});

test('code pages of DOS and Macintosh are known', () => {
  const decode = (codePage: number, text: string, encoding: string) =>
    decodeBytes(iconv.encode(text, encoding), encodingOfCodePage(codePage));
  expect(decode(437, 'ü½', 'cp437')).toBe('ü½');
  expect(decode(850, 'Größe', 'cp850')).toBe('Größe');
  expect(decode(10001, '東京', 'Shift_JIS')).toBe('東京');
  expect(decode(10029, 'Łódź', 'macCentEuro')).toBe('Łódź');
  expect(decode(10006, 'Αθήνα', 'macGreek')).toBe('Αθήνα');
  expect(decode(99999, 'é', 'windows-1252')).toBe('é');
});
