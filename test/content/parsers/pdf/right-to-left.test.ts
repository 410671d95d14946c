import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lineText, toLine } from '../../../../src/content/parsers/pdf/page/lines.ts';
import { pdfToHtml } from '../../../../src/content/parsers/pdf/pdf-to-html.ts';
import type { Word } from '../../../../src/content/parsers/pdf/types.ts';

const textOfFile = async (name: string) => {
  const { html } = await pdfToHtml(await readFile(join(import.meta.dirname, 'files', name)));
  return html
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&quot;', '"')
    .replace(/\s+/g, ' ');
};

describe('text from right to left', () => {
  test.each([
    ['hebrew.pdf', 'ההזמנה של "נמל" מס'],
    ['hebrew.pdf', '(מיום 14/3/2026) נשלחה אל רונית שגב, שדרות בן גוריון 8, חיפה.'],
    ['hebrew.pdf', 'סה"כ לתשלום: 83.70 ₪, כולל Shipping and Handling (17%). שאלות? כתבו עד ה-25 במרץ.'],
    ['hebrew-of-chrome.pdf', '(להלן: המשכיר), ברחוב הירקון 14, תל אביב, לבין יעל כהן (להלן: השוכרת).'],
    ['hebrew-of-chrome.pdf', 'דמי השכירות הם 4,500 ₪ לחודש, החל מ-1/1/2027.'],
    ['hebrew-of-chrome.pdf', 'באמצעות Bank Hapoalim (חשבון 12-345) עד ה-10 בכל חודש; איחור יחויב ב-2.5%.'],
    ['arabic.pdf', 'اتفق السيد سامي (البائع) والسيدة هدى (المشترية) على بيع القارب رقم 27 بمبلغ 6400 دينار.'],
    ['arabic.pdf', 'يسلم القارب في ميناء صفاقس يوم 5 مايو 2027، بدون محرك.'],
    ['arabic-of-chrome.pdf', 'حضر الاجتماع السيد كريم (الرئيس)، والسيدة نور (أمينة السر).'],
    ['arabic-in-english-of-chrome.pdf', 'Market سوق'],
    ['arabic-in-english-of-chrome.pdf', 'The stall (دكان) of مريم الحداد sells شاي and قهوة until ten.'],
    ['arabic-in-english-of-chrome.pdf', 'Ask for علي بن يوسف at the gate (باب) 3.'],
    ['arabic-in-english-of-chrome.pdf', 'Cheese جبنة بيضاء Soft 21.00'],
    ['arabic-of-chrome.pdf', 'تقرر شراء 25 جهازا من شركة Dell بمبلغ 12,500 درهم (بدون ضريبة).'],
  ])('has its brackets, stops and numbers where they are read: %s', async (file, sentence) => {
    expect(await textOfFile(file)).toContain(sentence);
  });

  const style = { size: 10, bold: false, italic: false, monospaced: false };
  /** Words of a run in their order on the page, with spaces between them. */
  const lineOf = (texts: string[]) =>
    lineText(
      toLine(
        texts.map((text, place): Word => {
          const box = { left: 100 * place, right: 100 * place + 80, top: 0, bottom: 10 };
          return { ...box, text, style, run: 0, isSpaced: place > 0 };
        }),
      ),
    );

  test.each([
    ['has cells with numbers in its order', ['₪', '12.90', '3', 'מחברת'], 'מחברת 3 12.90 ₪'],
    ['keeps the mark of an abbreviation', ['כ"סה', 'הכל'], 'הכל סה"כ'],
    ['keeps names from left to right', ['.Jane', 'Roe', 'פגש', 'דן'], 'דן פגש Jane Roe.'],
    ['keeps dates, ranges and signs', ['12/03/2026', '6-10', '-25', 'ימים'], 'ימים -25 6-10 12/03/2026'],
    ['keeps an ending in brackets at its word', ['(ה)תלמיד', 'כל'], 'כל תלמיד(ה)'],
    ['has the percent sign of Arabic after its number', ['%50', 'بنسبة'], 'بنسبة 50%'],
    [
      'is reordered in a line from left to right, too',
      ['The', 'title', 'עולם', 'שלום', 'is', 'new'],
      'The title שלום עולם is new',
    ],
  ])('%s', (_, words, text) => {
    expect(lineOf(words)).toBe(text);
  });
});

test('a table from right to left has its first column on the right', async () => {
  const { html } = await pdfToHtml(await readFile(join(import.meta.dirname, 'files', 'hebrew-table.pdf')));
  expect(html).toContain(`<table dir="rtl">
<tr><th>פריט</th><th>כמות</th><th>מחיר</th></tr>
<tr><td>מחברת</td><td>3</td><td>12.90 ₪</td></tr>
<tr><td>עט כחול</td><td>10</td><td>4.50 ₪</td></tr>
</table>`);
});

describe('a script with vowel signs', () => {
  test('has its words whole in files of a browser', async () => {
    const text = await textOfFile('hindi-of-chrome.pdf');
    expect(text).toContain(
      'मुख्य द्वार सुबह आठ बजे खुलता है और विद्यार्थियों के लिए अध्ययन कक्ष रात दस बजे तक खुला रहता है।',
    );
    expect(text).toContain('बच्चों के लिए निःशुल्क। पत्रिकाएँ घर नहीं ले जाई जा सकतीं।');
  });

  test('has its signs without a width at their letters', async () => {
    const text = await textOfFile('hindi.pdf');
    expect(text).toContain('पुस्तकालय की बैठक में पंचायत के सरपंच और');
    expect(text).toContain('केंद्र में चंदन आएगा।');
  });
});
