import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../../../src/errors.ts';

/**
 * Uploads in parts of a bucket that s3rver serves from a directory:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
 */

interface Upload {
  /** Directory of the bucket. */
  root: string;
  /** Key of the object. */
  key: string;
  /** Directory of the parts; the name of the upload is its last segment. */
  parts: string;
  partNumber: string;
}
type Operation = (upload: Upload, request: IncomingMessage) => Promise<{ etag?: string; xml?: string }>;

async function md5Of(file: string): Promise<string> {
  const hash = createHash('md5');
  for await (const bytes of createReadStream(file)) hash.update(bytes);
  return hash.digest('hex');
}

const xml = (name: string, content: string) => ({
  xml: `<?xml version="1.0" encoding="UTF-8"?><${name}>${content}</${name}>`,
});

/** Responds to a request that belongs to an upload in parts. @returns whether it does */
export function handleMultipart(root: string, request: IncomingMessage, response: ServerResponse): boolean {
  const url = new URL(request.url ?? '/', 'http://bucket');
  const id = url.searchParams.get('uploadId');
  const isUploads = url.searchParams.has('uploads');
  const operation = OPERATIONS[`${request.method} ${id ? 'upload' : isUploads ? 'uploads' : ''}`];
  if (!operation) return false;
  const upload = {
    root,
    key: decodeURIComponent(url.pathname).split('/').slice(2).join('/'),
    parts: path.join(root, '.uploads', path.basename(id ?? randomUUID())),
    partNumber: url.searchParams.get('partNumber') ?? '',
  };
  operation(upload, request).then(
    ({ etag, xml: body = '' }) => {
      if (etag) response.setHeader('ETag', `"${etag}"`);
      response.writeHead(request.method === 'DELETE' ? 204 : 200, { 'Content-Type': 'application/xml' });
      response.end(body);
    },
    (error) => {
      if (codeOf(error) !== 'ENOENT') return void response.destroy(error);
      response.writeHead(404, { 'Content-Type': 'application/xml' });
      response.end('<Error><Code>NoSuchUpload</Code><Message>There is no such upload.</Message></Error>');
    },
  );
  return true;
}

const OPERATIONS: Record<string, Operation> = {
  async 'POST uploads'({ key, parts }) {
    await mkdir(parts, { recursive: true });
    await writeFile(path.join(parts, 'key'), key);
    return xml(
      'InitiateMultipartUploadResult',
      `<Key>${key}</Key><UploadId>${path.basename(parts)}</UploadId>`,
    );
  },
  async 'PUT upload'({ parts, partNumber }, request) {
    const file = path.join(parts, partNumber);
    await pipeline(request, createWriteStream(file));
    return { etag: await md5Of(file) };
  },
  async 'POST upload'({ root, key, parts }) {
    const names = (await readdir(parts))
      .filter((name) => name !== 'key')
      .sort((a, b) => Number(a) - Number(b));
    const whole = path.join(parts, 'whole');
    for (const name of names)
      await pipeline(createReadStream(path.join(parts, name)), createWriteStream(whole, { flags: 'a' }));
    const object = path.join(root, `${key}._S3rver_object`);
    const etag = await md5Of(whole);
    await mkdir(path.dirname(object), { recursive: true });
    await writeFile(`${object}.md5`, etag);
    await rename(whole, object);
    await rm(parts, { recursive: true });
    return xml('CompleteMultipartUploadResult', `<Key>${key}</Key><ETag>"${etag}"</ETag>`);
  },
  async 'DELETE upload'({ parts }) {
    await rm(parts, { recursive: true });
    return {};
  },
  async 'GET uploads'({ root }) {
    const uploads = await readdir(path.join(root, '.uploads')).catch(() => []);
    const entries = uploads.map(async (id) => {
      const file = path.join(root, '.uploads', id, 'key');
      const begun = (await stat(file)).birthtime.toISOString();
      const key = await readFile(file, 'utf8');
      return `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${begun}</Initiated></Upload>`;
    });
    return xml('ListMultipartUploadsResult', (await Promise.all(entries)).join(''));
  },
};
