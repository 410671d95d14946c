"""Drives a browser session by browser-use, without a model; ../run-client.ts says what each step has to show."""

import asyncio
import os

from browser_use import BrowserSession
from steps import FILE, SITE, URL_OF_SESSION, end_session, read_by_protocol, setting, step, upload_to_session

loop = asyncio.new_event_loop()
wait = loop.run_until_complete
PAUSE_SECONDS = 0.05


async def connect(url=URL_OF_SESSION):
    session = BrowserSession(cdp_url=url, keep_alive=True)
    await session.start()
    return session


session = step("connect", lambda: wait(connect()))
page = wait(session.must_get_current_page())


async def title_of(each, title):
    while await each.get_title() != title:
        await asyncio.sleep(PAUSE_SECONDS)
    return title


async def navigate():
    await page.goto(f"{SITE}/")
    return await title_of(page, "Start")


async def upload():
    upload_to_session()
    (field,) = await page.get_elements_by_css_selector("input")
    await field.set_input_files([os.path.basename(FILE)])
    return await page.evaluate("() => document.querySelector('input').files[0].text()")


async def download():
    (link,) = await page.get_elements_by_css_selector("#download")
    await link.click()
    while True:
        try:
            read = await session.cdp_client.send_raw("IO.read", {"handle": "/downloads/report.txt"})
        except RuntimeError:
            await asyncio.sleep(PAUSE_SECONDS)
            continue
        return {"text": read_by_protocol(lambda *_: read)}


async def tabs():
    second = await session.new_page(f"{SITE}/second")
    titles = [await title_of(page, "Start"), await title_of(second, "Second")]
    (button,) = await page.get_elements_by_css_selector("#popup")
    await button.click()
    while len(await session.get_pages()) < 3:
        await asyncio.sleep(PAUSE_SECONDS)
    popup = (await session.get_pages())[-1]
    titles.append(await title_of(popup, "Popup"))
    await session.close_page(popup)
    return titles


async def reconnect():
    global session
    await session.stop()
    session = await connect()
    return [await each.get_title() for each in await session.get_pages()]


async def killed():
    end_session()
    await page.evaluate("() => new Promise(() => undefined)")


step("navigate", lambda: wait(navigate()))
step("upload", lambda: wait(upload()))
step("download", lambda: wait(download()))
step("tabs", lambda: wait(tabs()))
step("reconnect", lambda: wait(reconnect()))
page = wait(session.get_pages())[0]
step("unreachable", lambda: wait(page.goto(setting("UNREACHABLE"))))
step("private", lambda: wait(page.goto(setting("PRIVATE"))))
step("ended", lambda: wait(connect(setting("ENDED"))))
step("unknown", lambda: wait(connect(setting("UNKNOWN"))))
step("killed", lambda: wait(killed()))
os._exit(0)
