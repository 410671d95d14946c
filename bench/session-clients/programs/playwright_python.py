"""Drives a browser session by Playwright for Python; ../run-client.ts says what each step has to show."""

from playwright.sync_api import sync_playwright
from steps import FILE, SITE, URL_OF_SESSION, end_session, read_by_protocol, setting, step

playwright = sync_playwright().start()


def connect(url=URL_OF_SESSION):
    return playwright.chromium.connect_over_cdp(url)


browser = step("connect", connect)
context = browser.contexts[0]
page = context.pages[0] if context.pages else context.new_page()


def navigate():
    page.goto(f"{SITE}/")
    return page.title()


def upload():
    page.set_input_files("input", FILE)
    return page.evaluate("document.querySelector('input').files[0].text()")


def download():
    with page.expect_download() as expected:
        page.click("#download")
    own_error = None
    try:
        expected.value.save_as(FILE + ".saved")
    except Exception as error:
        own_error = getattr(error, "message", str(error))
    return {"text": read_by_protocol(browser.new_browser_cdp_session().send), "ownError": own_error}


def tabs():
    second = context.new_page()
    second.goto(f"{SITE}/second")
    with page.expect_popup() as expected:
        page.click("#popup")
    popup = expected.value
    popup.wait_for_url(f"{SITE}/popup")
    titles = [each.title() for each in (page, second, popup)]
    popup.close()
    return titles


def reconnect():
    global browser
    browser.close()
    browser = connect()
    return [each.title() for each in browser.contexts[0].pages]


def killed():
    end_session()
    page.evaluate("new Promise(() => undefined)")


step("navigate", navigate)
step("upload", upload)
step("download", download)
step("tabs", tabs)
step("reconnect", reconnect)
page = browser.contexts[0].pages[0]
step("unreachable", lambda: page.goto(setting("UNREACHABLE")))
step("private", lambda: page.goto(setting("PRIVATE")))
step("ended", lambda: connect(setting("ENDED")))
step("unknown", lambda: connect(setting("UNKNOWN")))
step("killed", killed)
