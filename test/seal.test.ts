import { expect, it } from 'vitest';
import { ServiceError } from '../src/errors.ts';
import { closeError, fingerprint, makeSeal, openError, sealOf, UNSEALED } from '../src/seal.ts';

const SECRET = 'the secret key of the service';
const TEXT = 'https://example.com/käse?q=1';

it('an encrypted value is decrypted with the wrapped key of its own job only', () => {
  const seal = makeSeal('one', SECRET);
  const again = sealOf({ id: 'one', wrapped: seal.wrapped }, SECRET);
  expect(again.open(seal.close(TEXT))).toBe(TEXT);
  expect(again.openBytes(seal.closeBytes(Buffer.from(TEXT))).toString()).toBe(TEXT);
  expect(again.openJson(JSON.parse(seal.closeJson({ url: TEXT })))).toEqual({ url: TEXT });
  expect(() => sealOf({ id: 'two', wrapped: seal.wrapped }, SECRET)).toThrow();
  expect(() => sealOf({ id: 'one', wrapped: seal.wrapped }, 'another secret')).toThrow();
  expect(() => makeSeal('one', SECRET).open(seal.close(TEXT))).toThrow();
});

it('ciphertext contains nothing of the text, and a changed ciphertext is refused', () => {
  const seal = makeSeal('one', SECRET);
  const closed = seal.close(TEXT);
  expect(closed).not.toBe(seal.close(TEXT));
  expect(Buffer.from(closed.slice(closed.indexOf(':') + 1), 'base64').toString('latin1')).not.toContain(
    'example',
  );
  const bytes = seal.closeBytes(Buffer.from(TEXT));
  bytes[20]! ^= 1;
  expect(() => seal.openBytes(bytes)).toThrow();
});

it('equal texts have equal hashes within a job and different ones in other jobs', () => {
  const seal = makeSeal('one', SECRET);
  expect(seal.hash('a.test')).toBe(sealOf({ id: 'one', wrapped: seal.wrapped }, SECRET).hash('a.test'));
  expect(seal.hash('a.test')).not.toBe(seal.hash('b.test'));
  expect(seal.hash('a.test')).not.toBe(makeSeal('one', SECRET).hash('a.test'));
});

it('a job whose key was deleted is reported, and a job without a key is not encrypted', () => {
  expect(() => sealOf({ id: 'one', wrapped: Buffer.alloc(0) }, SECRET)).toThrow(
    expect.objectContaining({ code: 'NOT_FOUND', message: expect.stringContaining('zero data retention') }),
  );
  expect(sealOf({ id: 'one', wrapped: null }, SECRET)).toBe(UNSEALED);
  expect(UNSEALED.open(UNSEALED.close(TEXT))).toBe(TEXT);
});

it('an encrypted error shows its code only', () => {
  const seal = makeSeal('one', SECRET);
  const error = new ServiceError('SCRAPE_TIMEOUT', `${TEXT} took long`, { details: { url: TEXT } });
  const closed = closeError(error, seal);
  expect(closed).toEqual({ code: 'SCRAPE_TIMEOUT', message: expect.stringMatching(/^sealed:/) });
  expect(openError(closed, seal)).toMatchObject({
    code: error.code,
    message: error.message,
    details: error.details,
  });
  expect(openError(error, seal)).toMatchObject({ message: error.message, details: error.details });
});

it('different requests have different fingerprints, which depend on the secret key of the service', () => {
  expect(fingerprint({ url: TEXT }, SECRET)).toBe(fingerprint({ url: TEXT }, SECRET));
  expect(fingerprint({ url: TEXT }, SECRET)).not.toBe(fingerprint({ url: `${TEXT}2` }, SECRET));
  expect(fingerprint({ url: TEXT }, SECRET)).not.toBe(fingerprint({ url: TEXT }, 'another secret'));
});
