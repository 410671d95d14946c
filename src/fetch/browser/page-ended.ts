/** A page whose process was ended because it took too much memory, see `chromium/page-memory.ts`. */
export class PageEnded extends Error {
  override readonly name = 'PageEnded';
}
