import { expect, it } from 'vitest';
import { decryptUploadParts, encryptUpload } from '../../../src/system/encryption/upload-cipher.ts';

it('a file is decrypted part by part, and the end of one that was modified is an error', () => {
  const { add, end, wrappedKey } = encryptUpload('id', 'secret');
  const file = Buffer.from('0123456789'.repeat(20_000));
  add(file);
  const ciphertext = end();
  const upload = { id: 'id', wrappedKey, ciphertext };
  const parts = [...decryptUploadParts(upload, 'secret')];
  expect(Buffer.concat(parts).equals(file)).toBe(true);
  expect(Math.max(...parts.map(({ length }) => length))).toBe(64 * 1024);
  ciphertext[100]! ^= 1;
  expect(() => [...decryptUploadParts(upload, 'secret')]).toThrow();
});
