import { describe, expect, it } from 'vitest';
import { isPlaceholder } from '../../../src/content/html/placeholder.ts';

const page = (lines: string[], change: { title?: string; hasSpinner?: boolean } = {}) =>
  isPlaceholder({ lines, title: '', hasSpinner: false, ...change });

describe('a page counts as not loaded while its only text is', () => {
  it.each([
    'Loading…',
    'LOADING',
    'Loading your dashboard...',
    'The page is loading',
    'Please wait',
    'Checking your browser, please wait.',
    'Just a moment...',
    'One moment, please',
    'Wird geladen …',
    'Die Seite wird geladen',
    'Bitte einen Moment warten',
    'Even geduld a.u.b.',
    'Chargement en cours',
    'Veuillez patienter…',
    'Cargando…',
    'Espere, por favor',
    'Carregando',
    'Aguarde…',
    'Caricamento in corso',
    'Attendere prego',
    'Laddar…',
    'Vent venligst',
    'Ladataan…',
    'Trwa ładowanie',
    'Proszę czekać…',
    'Načítání…',
    'Betöltés…',
    'Se încarcă…',
    'Загрузка…',
    'Пожалуйста, подождите',
    'Завантаження',
    'Φόρτωση…',
    'Yükleniyor…',
    'Lütfen bekleyin',
    'جاري التحميل',
    'טוען…',
    'लोड हो रहा है',
    'Đang tải…',
    'Memuat…',
    '正在加载...',
    '請稍候',
    '読み込み中…',
    'しばらくお待ちください',
    '로딩 중입니다',
    '잠시만 기다려 주세요',
    'กำลังโหลด',
  ])('%s', (line) => {
    expect(page([line])).toBe(true);
  });

  it('a request to wait beside its name and digits', () => {
    expect(page(['Acme Rockets', 'Loading…', '42 %'])).toBe(true);
    expect(
      page(['Acme', 'Rockets for everybody', 'Loading…'], { title: 'Acme - Rockets for everybody' }),
    ).toBe(true);
  });

  it('a name, or nothing, beside a spinner', () => {
    expect(page(['Acme Rockets'], { hasSpinner: true })).toBe(true);
    expect(page([], { hasSpinner: true })).toBe(true);
  });
});

describe('a page counts as loaded when its text is', () => {
  it.each([
    ['nothing, without a sign of loading', [], {}],
    ['its title alone', ['Acme Rockets'], { title: 'Acme Rockets' }],
    ['a sentence beside a spinner', [`We build rockets ${'that fly '.repeat(9)}`], { hasSpinner: true }],
    ['several things beside a request to wait', ['Home', 'Products', 'Loading…'], {}],
    ['something of loads and moments', ['Loads of fun at any moment', 'Downloading is easy'], {}],
    ['a word that only contains one of a request', ['Uploading', 'Reload'], {}],
  ])('%s', (_name, lines, change) => {
    expect(page(lines, change)).toBe(false);
  });
});
