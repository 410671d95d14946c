import { codeOf, messageOf, ServiceError } from '../../errors.ts';
import { isUnavailable, type S3Bucket, statusOf } from './s3-bucket.ts';

/** Names of the errors of a full bucket or server. */
const FULL = /Quota|StorageFull|InsufficientStorage/;
/** Names of the errors of a request that was signed for another region. */
const OTHER_REGION = /PermanentRedirect|AuthorizationHeaderMalformed|IncorrectEndpoint|IllegalLocation/;

/**
 * Turns what the client of a bucket has thrown into a sentence that says to an operator what to do; any other error
 * is returned unchanged.
 * @param object the key that the request was about
 */
export function explainBucketError(bucket: S3Bucket, object: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ServiceError) return error;
  const refuse = (message: string) => new ServiceError('BAD_REQUEST', message, { cause: error });
  const place = bucket.endpoint === undefined ? bucket.name : `${bucket.name} at ${bucket.endpoint}`;
  const status = statusOf(bucket, error);
  if (error.name === 'CredentialsProviderError')
    return refuse(
      `There are no credentials for the bucket ${place}. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    );
  if (FULL.test(error.name))
    return new ServiceError(
      'INSUFFICIENT_STORAGE',
      `There is not enough room in the bucket ${place} (${error.name}). Delete objects, raise its quota, or choose another bucket.`,
      { cause: error },
    );
  if (OTHER_REGION.test(error.name) || status === 301)
    return refuse(
      `The bucket ${place} belongs to another region. Name its region in the URL, such as ?region=eu-central-1.`,
    );
  if (isUnavailable(bucket, error))
    return new ServiceError(
      'SERVICE_UNAVAILABLE',
      `The bucket ${place} does not respond (${status || codeOf(error) || error.name}). Try again later, or correct its endpoint.`,
      { cause: error },
    );
  if (error.name === 'NoSuchBucket')
    return refuse(`There is no bucket ${place}. Create it, or correct its name.`);
  if (status === 401 || status === 403)
    return refuse(
      `The bucket ${place} refuses access to ${object || 'its objects'} (${error.name}). Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and let them list, read, write and delete objects and uploads there.`,
    );
  if (error.name === 'NoSuchKey' || error.name === 'NotFound' || status === 404)
    return refuse(`The bucket ${place} has no object ${object}. Correct its name.`);
  if (status === 412)
    return refuse(`The object ${object} was replaced while it was read. Repeat the command.`);
  return status ? refuse(`The bucket ${place} refuses ${object}: ${messageOf(error)}.`) : error;
}
