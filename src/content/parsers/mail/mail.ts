/** A person or list in the header of a mail. */
export interface Address {
  name: string;
  /** Mail address; empty if the mail does not have it. */
  address: string;
}

/** A mail, whatever its file format. What is unknown is absent or empty. */
export interface Mail {
  subject: string;
  from?: Address;
  to: Address[];
  cc: Address[];
  /** ISO 8601, or as the mail has it if that is no date. */
  date?: string;
  /** The body as HTML; preferred to `text`. */
  html?: string;
  /** The body as RTF, as Outlook writes it; preferred to `text`. */
  rtf?: Uint8Array;
  /** The body as plain text. */
  text?: string;
  attachments: Attachment[];
  /** The encoding of its text, if that was a guess. */
  guessedEncoding?: string;
}

/** A file in a mail. */
export interface Attachment {
  /** Empty if the mail does not name the file. */
  name: string;
  mediaType: string;
  /** Identifier, without angle brackets, by which the HTML of the body refers to an image. */
  contentId?: string;
  bytes: Uint8Array;
  /** The attached mail, if the file is one that was read. */
  mail?: Mail;
}

/** Mails attached to mails are read down to this depth; deeper ones are listed like other files. */
export const MAX_DEPTH = 5;
/** Maximum number of attachments that are listed or read in one mail. */
export const MAX_ATTACHMENTS = 500;
