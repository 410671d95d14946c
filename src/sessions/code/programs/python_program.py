"""Executes Python code in the sandbox. Arguments: the URL of the browser, and where Playwright finds downloads.

It has the same tasks and the same protocol as node-program.ts: lines of JSON on the channel, an end mark on both outputs,
and one tab for all languages.
"""

import ast
import asyncio
import base64
import inspect
import json
import linecache
import os
import socket
import sys
import traceback

from playwright.async_api import Error, Page, async_playwright

CHANNEL_FD = 3
MAX_RESULT_CHARS = 1_000_000
MAX_LINE_BYTES = 4 * 1024 * 1024
APPEAR_SECONDS = 2
HOME = os.path.dirname(os.path.abspath(__file__)) + os.sep
CODE_NAME = "<code>"


class CallDialogs:
    """The dialogs of pages that the code does not handle itself; see `CallDialogs` of call-dialogs.ts."""

    def __init__(self):
        self.watched = set()
        self.open = []
        self.is_call_running = False

    def begin(self, contexts):
        self.is_call_running = True
        self.watched &= set(contexts)
        for context in contexts:
            self.watch(context)
        for dialog in self.open:
            asyncio.ensure_future(self.close(dialog))
        self.open = []

    def end(self):
        self.is_call_running = False

    def watch(self, context):
        if context in self.watched:
            return
        self.watched.add(context)
        context.on("dialog", lambda dialog: self.receive(context, dialog))

    def receive(self, context, dialog):
        emitters = [each for each in (context, dialog.page) if each]
        # One of them is this listener.
        if sum(len(each._impl_obj.listeners("dialog")) for each in emitters) > 1:
            return
        if self.is_call_running:
            asyncio.ensure_future(self.close(dialog))
        else:
            self.open.append(dialog)

    async def close(self, dialog):
        """Declines a dialog, but lets the page be left."""
        try:
            await (dialog.accept() if dialog.type == "beforeunload" else dialog.dismiss())
        except Error:
            # A viewer may have answered it, or the page may be gone.
            pass


class BrowserTab:
    """The connection to the browser of the session, and the tab that all languages use."""

    def __init__(self, playwright, url, artifacts_dir):
        self.playwright = playwright
        self.url = url
        self.artifacts_dir = artifacts_dir
        self.browser = None
        self.seen = set()
        self.target_ids = {}
        self.fronted = None
        self.dialogs = CallDialogs()
        original = Page.bring_to_front

        async def bring_to_front(page):
            self.fronted = page
            await original(page)

        Page.bring_to_front = bring_to_front

    async def connect(self):
        if self.browser is None or not self.browser.is_connected():
            self.browser = await self.playwright.chromium.connect_over_cdp(
                self.url, artifacts_dir=self.artifacts_dir
            )
        contexts = self.browser.contexts
        return contexts[0] if contexts else await self.browser.new_context()

    async def begin(self, target_id):
        """Begins a call and returns its variables. `target_id` is the tab that `page` shall be; by default any tab."""
        context = await self.connect()
        self.dialogs.begin(self.browser.contexts)
        page = await self.find(context, target_id)
        if page is None:
            page = context.pages[-1] if context.pages else await context.new_page()
        self.fronted = None
        return {"browser": self.browser, "context": context, "page": page}

    async def find(self, context, target_id):
        if target_id is None:
            return context.pages[0] if context.pages else None
        loop = asyncio.get_running_loop()
        deadline = loop.time() + APPEAR_SECONDS
        while True:
            for page in context.pages:
                if await self.target_id_of(page) == target_id:
                    return page
            # A tab that was seen before has been closed. One that was just opened elsewhere appears soon.
            if target_id in self.seen or loop.time() > deadline:
                return None
            await asyncio.sleep(0.02)

    async def end(self, before, after):
        """Ends a call and returns the tab that the code uses after it; see `BrowserTab` of browser-tab.ts."""
        self.dialogs.end()
        pages = [page for context in self.browser.contexts for page in context.pages]
        used = after if after in pages else None
        if used is before and self.fronted is not None:
            used = self.fronted
        if used is None or used.is_closed():
            used = pages[-1] if pages else None
        return None if used is None else await self.target_id_of(used)

    async def target_id_of(self, page):
        if page not in self.target_ids:
            session = await page.context.new_cdp_session(page)
            info = await session.send("Target.getTargetInfo")
            await session.detach()
            self.target_ids[page] = info["targetInfo"]["targetId"]
            self.seen.add(self.target_ids[page])
        return self.target_ids[page]


RETURN_HINT = (
    ". The code is not the body of a function: the value of its last expression is the result, "
    "so write `value` instead of `return value`."
)


async def evaluate(code, variables):
    """Executes code with `await` at the top level. Returns the value of the last expression."""
    linecache.cache[CODE_NAME] = (len(code), None, code.splitlines(keepends=True), CODE_NAME)
    try:
        tree = ast.parse(code, CODE_NAME)
    except SyntaxError as error:
        # The frames of the parser are of no use.
        raise error.with_traceback(None) from None
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    if tree.body:
        await run(tree, "exec", variables)
    return None if last is None else await run(ast.Expression(last.value), "eval", variables)


async def run(tree, mode, variables):
    compiled = compile(tree, CODE_NAME, mode, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    value = eval(compiled, variables)
    # Code with `await` becomes a coroutine, and so does a call whose `await` was forgotten.
    while inspect.isawaitable(value):
        value = await value
    return value


# The first bytes of the types that pages are captured as; see result-text.ts.
SIGNATURES = [
    (b"\x89PNG\r\n\x1a\n", 0, "image/png"),
    (b"\xff\xd8\xff", 0, "image/jpeg"),
    (b"WEBP", 8, "image/webp"),
    (b"%PDF-", 0, "application/pdf"),
]


def data_url_of(value):
    found = [name for signature, at, name in SIGNATURES if value.startswith(signature, at)]
    media_type = found[0] if found else "application/octet-stream"
    url = f"data:{media_type};base64,{base64.b64encode(value).decode()}"
    if len(url) <= MAX_RESULT_CHARS:
        return url
    raise ValueError(
        f"The result has {len(value)} bytes, which are too many for a response. "
        "Write it to a file in /downloads, such as by page.screenshot(path='/downloads/page.png')."
    )


def text_of(value):
    if value is None:
        return ""
    if isinstance(value, (bytes, bytearray)):
        return data_url_of(value)
    return value if isinstance(value, str) else repr(value)


def describe(error):
    """The traceback without the frames of this program and its packages."""
    described = traceback.TracebackException.from_exception(error)
    hide_frames(described)
    return "".join(described.format())


def hide_frames(described):
    while described is not None:
        described.stack = traceback.StackSummary.from_list(
            [frame for frame in described.stack if not frame.filename.startswith(HOME)]
        )
        hide_frames(described.__context__)
        described = described.__cause__


async def execute(call, tab, variables):
    found = await tab.begin(call.get("targetId"))
    variables.update(found)
    outcome = {"exitCode": 0}
    try:
        outcome["result"] = text_of(await evaluate(call["code"], variables))
    except SystemExit as error:
        code = error.code
        outcome["exitCode"] = 0 if code is None else code & 255 if isinstance(code, int) else 1
        if not isinstance(code, int | None):
            sys.stderr.write(f"{code}\n")
        if outcome["exitCode"] != 0:
            outcome["error"] = f"SystemExit: {code}"
    except BaseException as error:
        if isinstance(error, SyntaxError) and error.msg == "'return' outside function":
            error.msg += RETURN_HINT
        sys.stderr.write(describe(error))
        outcome.update(exitCode=1, error=f"{type(error).__name__}: {error}".removesuffix(": "))
    outcome["targetId"] = await tab.end(found["page"], variables.get("page"))
    return outcome


def bounded(outcome):
    for name in ("result", "error"):
        text = outcome.get(name, "")
        if len(text) > MAX_RESULT_CHARS:
            outcome[name] = text[:MAX_RESULT_CHARS]
            outcome["truncated"] = True
    return outcome


def write_mark(descriptor, stream, mark):
    """Writes after all output of the code, which may have closed the output."""
    try:
        if stream is not None and not stream.closed:
            stream.flush()
        os.write(descriptor, mark)
    except OSError:
        # The service notices that the mark is missing.
        pass


async def main():
    channel = socket.socket(fileno=CHANNEL_FD)
    reader, writer = await asyncio.open_connection(sock=channel, limit=MAX_LINE_BYTES)

    def send(message):
        # A line break before each message ends what the code may have written to the channel.
        writer.write(("\n" + json.dumps(message) + "\n").encode())

    stdout, stderr = sys.stdout, sys.stderr
    tab = BrowserTab(await async_playwright().start(), sys.argv[1], sys.argv[2])
    await tab.connect()
    sys.argv = [CODE_NAME]
    variables = {"__name__": "__main__", "asyncio": asyncio}
    send({"ready": True})
    while line := await reader.readline():
        call = json.loads(line)
        try:
            outcome = await execute(call, tab, variables)
        except Exception as error:
            outcome = {"exitCode": 1, "error": str(error)}
        mark = call["endMark"].encode()
        write_mark(1, stdout, mark)
        write_mark(2, stderr, mark)
        send({"id": call["id"], **bounded(outcome)})
    # The code closed the channel, so nothing can be reported any more.
    os._exit(1)


asyncio.run(main())
