import { Readable } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import { ServiceError } from '../../errors.ts';
import { MAX_UPLOAD_BYTES } from '../../schemas/parse.ts';
import type { Blobs } from '../../storage/blobs/index.ts';
import { decryptUploadParts, encryptUpload, startDigest } from '../../system/encryption/upload-cipher.ts';

/** The facts about a file that are known before it is received. */
interface FileHead {
  /** The id of the upload; by default a new one. */
  id?: string;
  /** Its name without a path. */
  name: string;
  /** The declared media type; empty if there is none. */
  contentType: string;
}

/** The error for a file above the limit. */
export const tooLarge = () =>
  new ServiceError(
    'REQUEST_TOO_LARGE',
    `The file is larger than ${MAX_UPLOAD_BYTES / 1024 / 1024} MB. Split it into smaller files.`,
  );

/**
 * A file that was received in a request. It is held in memory, encrypted, until it is stored or discarded.
 */
export class EncryptedFile {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  /** Size of the unencrypted file in bytes. */
  readonly size: number;
  /** See `encryptUpload`. */
  readonly wrappedKey: Buffer;
  /** See `startDigest`. */
  readonly digest: string;
  #ciphertext: Buffer | undefined;
  #onFreed: () => void = () => undefined;

  private constructor(
    head: Required<FileHead>,
    received: { size: number; wrappedKey: Buffer; digest: string; ciphertext: Buffer },
  ) {
    this.id = head.id;
    this.name = head.name;
    this.contentType = head.contentType;
    this.size = received.size;
    this.wrappedKey = received.wrappedKey;
    this.digest = received.digest;
    this.#ciphertext = received.ciphertext;
  }

  /**
   * Receives a file and encrypts it while it arrives.
   * @throws ServiceError `REQUEST_TOO_LARGE`; the error of the stream
   */
  static async receive(head: FileHead, stream: Readable, secretKey: string): Promise<EncryptedFile> {
    const { id = uuidv7() } = head;
    const { add, end, wrappedKey } = encryptUpload(id, secretKey);
    const hash = startDigest(secretKey);
    let size = 0;
    // The chunks of a binary stream are buffers.
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_UPLOAD_BYTES) throw tooLarge();
      add(chunk);
      hash.update(chunk);
    }
    const received = { size, wrappedKey, digest: hash.digest('base64url'), ciphertext: end() };
    return new EncryptedFile({ ...head, id }, received);
  }

  /** Registers a function that is called when the file is no longer in memory. */
  onFreed(callback: () => void): void {
    this.#onFreed = callback;
  }

  /** Frees the memory of a file that is not needed after all. */
  discard(): void {
    this.#ciphertext = undefined;
    this.#onFreed();
  }

  /**
   * The file as it was received, decrypted while it is read. The memory of the encrypted file is only freed
   * by {@link discard}, so the file takes the memory that was planned for it, and no more.
   */
  decrypt(secretKey: string): Readable {
    const { id, wrappedKey } = this;
    const ciphertext = this.#ciphertext;
    if (!ciphertext) throw new Error(`the upload ${id} is not in memory any more`);
    return Readable.from(decryptUploadParts({ id, wrappedKey, ciphertext }, secretKey), {
      objectMode: false,
    });
  }

  /**
   * Stores the file, which is possible once because its memory is then free.
   * @returns the key of its blob
   */
  async store(uploads: Blobs): Promise<string> {
    const ciphertext = this.#ciphertext;
    if (!ciphertext) throw new Error(`the upload ${this.id} is already stored`);
    this.#ciphertext = undefined;
    try {
      return await uploads.put(ciphertext);
    } finally {
      this.#onFreed();
    }
  }
}
