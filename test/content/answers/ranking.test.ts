import { describe, expect, it } from 'vitest';
import { findPassages } from '../../../src/content/answers/ranking.ts';
import { contentOf } from '../html/page.ts';

const found = (html: string, question: string, most = 3) =>
  findPassages(contentOf(html), question, most).map(({ text }) => text);

const GUIDE = `<html lang="en"><main><h1>Bees</h1><p>Honey bees live in colonies.</p>
  <p>A colony eats 20 kg of honey each winter.</p><h2>Shop</h2><p>A new colony is $180 with us.</p>
  <p>We deliver within three days.</p><h2>About</h2><p>Anna Berger has kept bees since 1998.</p>
  <h2>How do I clean a hive?</h2><p>With hot water and a brush.</p>
  <table><tr><td>Hive weight<td>35 kg</table></main>`;

describe('the passages that match a question', () => {
  const asked: [string, string][] = [
    ['How much does a colony cost?', 'A new colony is $180 with us.'],
    ['How much honey does a colony eat?', 'A colony eats 20 kg of honey each winter.'],
    ['Since when has Anna kept bees?', 'Anna Berger has kept bees since 1998.'],
    ['How do I clean a hive?', 'With hot water and a brush.'],
    ['What is the weight of the hive?', 'Hive weight 35 kg'],
    ['when will it be delivered?', 'We deliver within three days.'],
    ['Who keeps bees?', 'Anna Berger has kept bees since 1998.'],
    ['COLONIES', 'Honey bees live in colonies.'],
  ];
  it.each(asked)('are those that answer it: %s', (question, passage) => {
    expect(found(GUIDE, question)).toContain(passage);
  });

  it.each(['What is the capital of France?', 'Who is the president?', 'What is it?', '???', 'the'])(
    'are none where nothing has to do with it: %s',
    (question) => {
      expect(found(GUIDE, question)).toEqual([]);
    },
  );

  const languages: [string, string, string, string][] = [
    [
      'de',
      '<p>Das Haus ist dienstags geöffnet.</p><p>Der Eintritt beträgt 12 € für alle.</p>',
      'Was kostet der Eintritt?',
      'Der Eintritt beträgt 12 € für alle.',
    ],
    [
      'es',
      '<p>El museo abre los martes.</p><p>La entrada cuesta 8 €.</p>',
      '¿Cuánto cuesta la entrada?',
      'La entrada cuesta 8 €.',
    ],
    [
      'ja',
      '<p>東京タワーの高さは333メートルです。</p><p>入場料は1200円です。</p>',
      '入場料はいくらですか',
      '入場料は1200円です。',
    ],
    ['ru', '<p>Музей закрыт.</p><p>Билет стоит 500 ₽.</p>', 'Сколько стоит билет?', 'Билет стоит 500 ₽.'],
    ['fr', '<p>Il pleut.</p><p>Le café est fermé.</p>', 'Où est le cafe ?', 'Le café est fermé.'],
  ];
  it.each(languages)('are found in the language %s', (language, text, question, passage) => {
    expect(found(`<html lang="${language}"><body>${text}`, question)).toEqual([passage]);
  });

  it('are returned in the order of the page, up to the requested number', () => {
    const page = Array.from({ length: 9 }, (_, n) => `<p>Rule ${n} is about parking.</p>`).join('');
    expect(found(page, 'parking', 4)).toHaveLength(4);
    const two = '<p>Parking is dear here.</p><p>Trains run.</p><p>Parking, parking, parking.</p>';
    expect(found(two, 'parking')).toEqual(['Parking is dear here.', 'Parking, parking, parking.']);
  });

  it('include answers from the structured data of the page', () => {
    const faq = {
      '@type': 'FAQPage',
      mainEntity: [
        {
          '@type': 'Question',
          name: 'Do you ship abroad?',
          acceptedAnswer: { text: '<p>Only to Norway.</p>' },
        },
      ],
    };
    const page = `<script type="application/ld+json">${JSON.stringify(faq)}</script><p>Welcome.</p>`;
    expect(found(page, 'Do you ship abroad?')).toEqual(['Only to Norway.']);
  });

  it('come from the requested content only', () => {
    const page =
      '<nav><p>Parking in the menu.</p></nav><main><p>Nothing of it here, but enough text to stay.</p></main>';
    expect(found(page, 'parking')).toEqual([]);
    const whole = findPassages(contentOf(page, { onlyMainContent: false }), 'parking', 3);
    expect(whole.map(({ text }) => text)).toEqual(['Parking in the menu.']);
  });

  it('are short even where the text has no sentence breaks', () => {
    const [passage] = found(`<p>parking ${'word '.repeat(100_000)}</p>`, 'parking');
    expect(passage!.length).toBeLessThanOrEqual(2_000);
  });
});
