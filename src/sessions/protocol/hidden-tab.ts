import type { CdpConnection, Session } from '../../fetch/browser/chromium/cdp.ts';
import { fieldsOf } from '../../json/json-object.ts';

/** Chromium has two targets for each tab: the page, and the tab around it, which Puppeteer attaches to. */
const TAB_TARGETS = [{ type: 'tab' }];

/**
 * A tab that only the host uses: it loads an empty page of each site whose storage belongs to a profile and
 * that no other tab shows. Neither clients nor viewers see it. It is opened before any of them connects, so
 * that it is known from its first event on.
 */
export class HiddenTab {
  /** The target of its page. */
  readonly targetId: string;
  readonly #ids: ReadonlySet<string>;
  readonly #browser: Session;

  private constructor(browser: Session, targetId: string, tabTargetIds: string[]) {
    this.#browser = browser;
    this.targetId = targetId;
    this.#ids = new Set([targetId, ...tabTargetIds]);
  }

  /** Opens the tab in the background. */
  static async open({ browser }: CdpConnection): Promise<HiddenTab> {
    const findTabs = async () => {
      const { targetInfos } = await browser.send('Target.getTargets', { filter: TAB_TARGETS });
      return targetInfos.map(({ targetId }) => targetId);
    };
    const others = await findTabs();
    const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank', background: true });
    return new HiddenTab(
      browser,
      targetId,
      (await findTabs()).filter((id) => !others.includes(id)),
    );
  }

  /** Closes the tab. */
  async close(): Promise<void> {
    await this.#browser.send('Target.closeTarget', { targetId: this.targetId });
  }

  /** Whether an id is one of this tab. */
  has(targetId: unknown): boolean {
    return typeof targetId === 'string' && this.#ids.has(targetId);
  }

  /** Whether an event or a command is about this tab. */
  isSubjectOf({ params }: { params?: object | null }): boolean {
    const { targetId, targetInfo } = fieldsOf(params);
    return this.has(targetId) || this.has(fieldsOf(targetInfo).targetId);
  }

  /** Removes this tab from the result of `Target.getTargets`. */
  removeFrom(result: object): object {
    const { targetInfos } = fieldsOf(result);
    if (!Array.isArray(targetInfos)) return result;
    return { ...result, targetInfos: targetInfos.filter((info) => !this.has(fieldsOf(info).targetId)) };
  }
}
