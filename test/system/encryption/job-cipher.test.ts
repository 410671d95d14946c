import { expect, it } from 'vitest';
import { withEncryptedErrors } from '../../../src/activities/encrypt-errors.ts';
import { ServiceError } from '../../../src/errors.ts';
import { jobLostError } from '../../../src/storage/db/jobs/jobs.ts';
import {
  createJobCipher,
  decryptError,
  encryptError,
  hashRequest,
  NULL_CIPHER,
  restoreJobCipher,
} from '../../../src/system/encryption/job-cipher.ts';

const SECRET = 'the secret key of the service';
const TEXT = 'https://example.com/käse?q=1';

it('an encrypted value is decrypted with the wrapped key of its own job only', () => {
  const cipher = createJobCipher('one', SECRET);
  const again = restoreJobCipher({ id: 'one', wrappedKey: cipher.wrappedKey }, SECRET);
  expect(again.decrypt(cipher.encrypt(TEXT))).toBe(TEXT);
  expect(again.decryptBytes(cipher.encryptBytes(Buffer.from(TEXT))).toString()).toBe(TEXT);
  expect(again.decryptJson(JSON.parse(cipher.encryptJson({ url: TEXT })))).toEqual({ url: TEXT });
  expect(() => restoreJobCipher({ id: 'two', wrappedKey: cipher.wrappedKey }, SECRET)).toThrow();
  expect(() => restoreJobCipher({ id: 'one', wrappedKey: cipher.wrappedKey }, 'another secret')).toThrow();
  expect(() => createJobCipher('one', SECRET).decrypt(cipher.encrypt(TEXT))).toThrow();
});

it('ciphertext contains nothing of the text, and a changed ciphertext is refused', () => {
  const cipher = createJobCipher('one', SECRET);
  const closed = cipher.encrypt(TEXT);
  expect(closed).not.toBe(cipher.encrypt(TEXT));
  expect(Buffer.from(closed.slice(closed.indexOf(':') + 1), 'base64').toString('latin1')).not.toContain(
    'example',
  );
  const bytes = cipher.encryptBytes(Buffer.from(TEXT));
  bytes[20]! ^= 1;
  expect(() => cipher.decryptBytes(bytes)).toThrow();
});

it('equal texts have equal hashes within a job and different ones in other jobs', () => {
  const cipher = createJobCipher('one', SECRET);
  expect(cipher.hash('a.test')).toBe(
    restoreJobCipher({ id: 'one', wrappedKey: cipher.wrappedKey }, SECRET).hash('a.test'),
  );
  expect(cipher.hash('a.test')).not.toBe(cipher.hash('b.test'));
  expect(cipher.hash('a.test')).not.toBe(createJobCipher('one', SECRET).hash('a.test'));
});

it('a job whose key was deleted is reported, and a job without a key is not encrypted', () => {
  expect(() => restoreJobCipher({ id: 'one', wrappedKey: Buffer.alloc(0) }, SECRET)).toThrow(
    expect.objectContaining({ code: 'NOT_FOUND', message: expect.stringContaining('zero data retention') }),
  );
  expect(restoreJobCipher({ id: 'one', wrappedKey: null }, SECRET)).toBe(NULL_CIPHER);
  expect(NULL_CIPHER.decrypt(NULL_CIPHER.encrypt(TEXT))).toBe(TEXT);
});

it('an encrypted error shows its code only', () => {
  const cipher = createJobCipher('one', SECRET);
  const error = new ServiceError('SCRAPE_TIMEOUT', `${TEXT} took long`, { details: { url: TEXT } });
  const closed = encryptError(error, cipher);
  expect(closed).toEqual({ code: 'SCRAPE_TIMEOUT', message: expect.stringMatching(/^sealed:/) });
  expect(decryptError(closed, cipher)).toMatchObject({
    code: error.code,
    message: error.message,
    details: error.details,
  });
  expect(decryptError(error, cipher)).toMatchObject({ message: error.message, details: error.details });
});

it('an error that no retry can mend is not retried when it is encrypted, either', async () => {
  const cipher = createJobCipher('one', SECRET);
  const failWith = (error: ServiceError) => withEncryptedErrors(cipher, () => Promise.reject(error));
  const passing = new ServiceError('SERVICE_UNAVAILABLE', TEXT);
  await expect(failWith(passing)).rejects.toMatchObject({ isRetryable: true });
  await expect(failWith(jobLostError())).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringMatching(/^sealed:/),
    isRetryable: false,
  });
});

it('different requests have different fingerprints, which depend on the secret key of the service', () => {
  expect(hashRequest({ url: TEXT }, SECRET)).toBe(hashRequest({ url: TEXT }, SECRET));
  expect(hashRequest({ url: TEXT }, SECRET)).not.toBe(hashRequest({ url: `${TEXT}2` }, SECRET));
  expect(hashRequest({ url: TEXT }, SECRET)).not.toBe(hashRequest({ url: TEXT }, 'another secret'));
});
