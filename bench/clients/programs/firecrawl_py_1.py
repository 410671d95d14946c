"""Calls every method of the SDK 1.x for Python."""

import time

from firecrawl import FirecrawlApp
from steps import announce, given, methods_of, refused, step

page, site, pages, schema = given["page"], given["site"], given["pages"], given["schema"]
client = FirecrawlApp(api_key=given["key"], api_url=given["url"])
limited = {"limit": 3, "scrapeOptions": {"formats": ["markdown"]}}
markdown = {"formats": ["markdown"]}
announce(name for name in methods_of(client) if name != "get_version" and name[0].islower())


def ended(id):
    while client.check_crawl_status(id)["status"] == "scraping":
        time.sleep(0.5)
    return id


def watch(watcher):
    """Watches a job to its end. Returns its documents."""
    documents = []
    watcher.add_event_listener("document", lambda detail: documents.append(detail["data"]))
    watcher.add_event_listener("error", lambda detail: documents.append(detail))

    async def connect():
        await watcher.connect()
        return documents

    return connect()


step("scrape_url", lambda: client.scrape_url(page, {"formats": ["markdown", "links"]}), "noon")
step("scrape_url", lambda: client.scrape_url(page, {"formats": ["extract"], "extract": {"schema": schema}}), "departure")
step("search", lambda: client.search(given["query"], {"limit": 2}), page)
step("map_url", lambda: client.map_url(site, {"limit": 5}), "/lamp")
step("crawl_url", lambda: client.crawl_url(site, limited, poll_interval=1), "completed", "noon")
crawl = step("async_crawl_url", lambda: client.async_crawl_url(site, limited), "id")
step("check_crawl_status", lambda: client.check_crawl_status(ended(crawl["id"])), "noon")
step("check_crawl_errors", lambda: client.check_crawl_errors(crawl["id"]), "errors")
slow = client.async_crawl_url(site, {"limit": 50, "delay": 5})
step("cancel_crawl", lambda: client.cancel_crawl(slow["id"]), "cancelled")
step("batch_scrape_urls", lambda: client.batch_scrape_urls(pages, markdown, 1), "noon")
batch = step("async_batch_scrape_urls", lambda: client.async_batch_scrape_urls(pages, markdown), "id")
step("check_batch_scrape_status", lambda: client.check_batch_scrape_status(ended(batch["id"])), "noon")
step("check_batch_scrape_errors", lambda: client.check_batch_scrape_errors(batch["id"]), "errors")
step("crawl_url_and_watch", lambda: watch(client.crawl_url_and_watch(site, limited)), "noon")
step("batch_scrape_urls_and_watch", lambda: watch(client.batch_scrape_urls_and_watch(pages, markdown)), "noon")
step("extract", lambda: client.extract([page], {"schema": schema}), "noon")
extract = step("async_extract", lambda: client.async_extract([page], {"schema": schema}), "id")
step("get_extract_status", lambda: client.get_extract_status(extract["id"]), "success")
for name in ("deep_research", "async_deep_research"):
    refused(name, lambda: getattr(client, name)("ferries", {}), "POST /v2/agent")
refused("check_deep_research_status", lambda: client.check_deep_research_status("1"), "deep research")
for name in ("generate_llms_text", "async_generate_llms_text"):
    refused(name, lambda: getattr(client, name)(site, {}), "llms.txt")
refused("check_generate_llms_text_status", lambda: client.check_generate_llms_text_status("1"), "llms.txt")
