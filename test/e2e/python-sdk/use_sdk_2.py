"""Uses the Python SDK 2.16, which knows version 1 of the API. The argument is JSON with URLs; the result is printed as JSON."""

import asyncio
import json
import sys
import time

from firecrawl import AsyncFirecrawlApp, FirecrawlApp, JsonConfig
from firecrawl.firecrawl import ScrapeOptions

given = json.loads(sys.argv[1])
client = FirecrawlApp(api_key=given["key"], api_url=given["url"])
schema = {"type": "object", "properties": {"title": {"type": "string"}, "price": {"type": "number"}}}


def message_of(call):
    """The text of the error that a call raises."""
    try:
        call()
    except Exception as error:
        return str(error)
    return None


scraped = client.scrape_url(given["article"], formats=["markdown", "links"], only_main_content=True)
extracted = client.scrape_url(given["lamp"], formats=["extract"], extract=JsonConfig(schema=schema))
named = client.scrape_url(given["lamp"], formats=["json"], json_options=JsonConfig(prompt="The price", schema=schema))
acted = client.scrape_url(given["lamp"], actions=[{"type": "wait", "milliseconds": 10}, {"type": "screenshot"}])
refusal = message_of(lambda: client.scrape_url(given["lamp"], timeout=500))


crawl = client.crawl_url(
    given["site"],
    limit=3,
    ignore_sitemap=True,
    scrape_options=ScrapeOptions(formats=["markdown"], onlyMainContent=True),
    poll_interval=1,
)
started = client.async_crawl_url(given["site"], limit=2, allow_backward_links=True)
while client.check_crawl_status(started.id).status == "scraping":
    time.sleep(0.5)
read = client.check_crawl_status(started.id)
errors = client.check_crawl_errors(started.id)
cancelled = client.cancel_crawl(client.async_crawl_url(given["site"], limit=50, delay=5).id)

batch = client.batch_scrape_urls(given["articles"], formats=["markdown", "links"], poll_interval=1)
batch_started = client.async_batch_scrape_urls(given["articles"])
while client.check_batch_scrape_status(batch_started.id).status == "scraping":
    time.sleep(0.5)
batch_read = client.check_batch_scrape_status(batch_started.id)
batch_errors = client.check_batch_scrape_errors(batch_started.id)

mapped = client.map_url(given["lamp"], limit=5, ignore_sitemap=True)
client.scrape_url(given["ferry"])
searched = client.search(given["query"], limit=2)
searched_pages = client.search(given["query"], limit=1, scrape_options=ScrapeOptions(formats=["markdown"]))
extract = client.extract([given["lamp"]], schema=schema, show_sources=True)
extract_started = client.async_extract([given["lamp"]], schema=schema)
extract_read = client.get_extract_status(extract_started.id)
no_research = message_of(lambda: client.deep_research("When do ferries depart?"))


def watch(watcher):
    """Watches a job to its end. Returns the URLs of the documents, and the events that end it."""
    sources, ends = [], []
    watcher.add_event_listener("document", lambda detail: sources.append(detail["data"]["metadata"]["sourceURL"]))
    for kind in ("done", "error"):
        watcher.add_event_listener(kind, lambda detail: ends.append([detail["status"], len(detail["data"])]))
    asyncio.run(watcher.connect())
    return {"sources": sorted(sources), "ends": ends}


async def use_async_client():
    """Uses the client for asyncio, which sends requests of its own."""
    asynchronous = AsyncFirecrawlApp(api_key=given["key"], api_url=given["url"])
    scraped = await asynchronous.scrape_url(given["lamp"], formats=["markdown"])
    crawl = await asynchronous.crawl_url(given["site"], limit=2, poll_interval=1)
    mapped = await asynchronous.map_url(given["lamp"])
    return {"markdown": scraped.markdown, "crawl": crawl, "links": mapped.links}


asynchronous = asyncio.run(use_async_client())
watched = watch(client.crawl_url_and_watch(given["site"], limit=2))
watched_batch = watch(client.batch_scrape_urls_and_watch(given["articles"]))


def job(result):
    return {
        "status": result.status,
        "completed": result.completed,
        "next": result.next,
        "sources": sorted(document.metadata["sourceURL"] for document in result.data),
        "markdown": [document.markdown for document in result.data],
    }


print(
    json.dumps(
        {
            "scraped": scraped.model_dump(by_alias=True),
            "extracted": extracted.model_dump(by_alias=True),
            "named": named.model_dump(by_alias=True),
            "acted": acted.model_dump(by_alias=True),
            "refusal": refusal,
            "crawl": job(crawl),
            "started": started.model_dump(),
            "read": job(read),
            "errors": errors.model_dump(),
            "cancelled": cancelled,
            "batch": job(batch),
            "batch_started": batch_started.model_dump(),
            "batch_read": job(batch_read),
            "batch_errors": batch_errors.model_dump(),
            "mapped": mapped.model_dump(),
            "searched": searched.model_dump(),
            "searched_pages": searched_pages.model_dump(),
            "extract": extract.model_dump(mode="json"),
            "extract_read": extract_read.model_dump(mode="json"),
            "no_research": no_research,
            "asynchronous": {**asynchronous, "crawl": job(asynchronous["crawl"])},
            "watched": watched,
            "watched_batch": watched_batch,
        }
    )
)
