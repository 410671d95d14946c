import type { Response } from 'express';

/** A JSON response whose text is known, so that it need not be parsed and written again. */
export class JsonText {
  /** The whole response as JSON. */
  readonly text: string;

  /** @param text the whole response as JSON */
  constructor(text: string) {
    this.text = text;
  }

  /** Sends the response. It gets no ETag, whose hash would take longer than all else here. */
  async sendTo(response: Response): Promise<void> {
    const bytes = Buffer.from(this.text);
    response.type('json').set('Content-Length', String(bytes.length));
    response.end(bytes);
  }
}
