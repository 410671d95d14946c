"""Calls every method of the SDK 2.x for Python, by its client and by that for asyncio."""

import inspect
import time

from firecrawl import AsyncFirecrawlApp, FirecrawlApp, JsonConfig
from firecrawl.firecrawl import ScrapeOptions
from steps import announce, given, methods_of, perform, refused, step

page, site, pages, schema = given["page"], given["site"], given["pages"], given["schema"]
options = ScrapeOptions(formats=["markdown"])


def use(client, prefix):
    """Calls all methods of a client, whose names have the prefix in the report."""
    announce([prefix + name for name in methods_of(client) if name != "get_version" and name[0].islower()])

    def call(name, *arguments, has=(), **options):
        return step(prefix + name, lambda: getattr(client, name)(*arguments, **options), *has)

    def refuse(name, text, *arguments):
        refused(prefix + name, lambda: getattr(client, name)(*arguments), text)

    def ended(id):
        while perform(lambda: client.check_crawl_status(id)).status == "scraping":
            time.sleep(0.5)
        return id

    call("scrape_url", page, formats=["markdown", "links"], has=["noon"])
    call("scrape_url", page, formats=["extract"], extract=JsonConfig(schema=schema), has=["departure"])
    call("search", given["query"], limit=2, has=[page])
    call("map_url", site, limit=5, has=["/lamp"])
    call("crawl_url", site, limit=3, scrape_options=options, poll_interval=1, has=["completed", "noon"])
    crawl = call("async_crawl_url", site, limit=3, scrape_options=options, has=["id"])
    call("check_crawl_status", ended(crawl.id), has=["noon"])
    call("check_crawl_errors", crawl.id, has=["errors"])
    call("cancel_crawl", perform(lambda: client.async_crawl_url(site, limit=50, delay=5)).id, has=["cancelled"])
    call("batch_scrape_urls", pages, formats=["markdown"], poll_interval=1, has=["noon"])
    call("async_batch_scrape_urls", pages, formats=["markdown"], has=["id"])
    batch = synchronous.async_batch_scrape_urls(pages, formats=["markdown"])
    call("check_batch_scrape_status", ended(batch.id), has=["noon"])
    call("check_batch_scrape_errors", batch.id, has=["errors"])
    step(f"{prefix}crawl_url_and_watch", lambda: watch(client.crawl_url_and_watch(site, limit=3)), "noon")
    step(f"{prefix}batch_scrape_urls_and_watch", lambda: watch(client.batch_scrape_urls_and_watch(pages)), "noon")
    call("extract", [page], schema=schema, has=["noon"])
    call("async_extract", [page], schema=schema, has=["id"])
    extract = synchronous.async_extract([page], schema=schema)
    call("get_extract_status", extract.id, has=["success"])
    for name in ("deep_research", "async_deep_research"):
        refuse(name, "POST /v2/agent", "ferries")
    refuse("check_deep_research_status", "deep research", "1")
    for name in ("generate_llms_text", "async_generate_llms_text"):
        refuse(name, "llms.txt", site)
    refuse("check_generate_llms_text_status", "llms.txt", "1")


async def watch(watcher):
    """Watches a job to its end. Returns its documents."""
    watcher = await watcher if inspect.isawaitable(watcher) else watcher
    documents = []
    watcher.add_event_listener("document", lambda detail: documents.append(detail["data"]))
    watcher.add_event_listener("error", lambda detail: documents.append(detail))
    await watcher.connect()
    return documents


synchronous = FirecrawlApp(api_key=given["key"], api_url=given["url"])
use(synchronous, "")
use(AsyncFirecrawlApp(api_key=given["key"], api_url=given["url"]), "async ")
