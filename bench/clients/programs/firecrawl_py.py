"""Calls every method of the SDK for Python, by its client and by that for asyncio."""

import threading
import time

from firecrawl import AsyncFirecrawl, Firecrawl
from firecrawl.v2.types import PaginationConfig
from steps import announce, given, methods_of, perform, refused, step

page, site, pages, schema = given["page"], given["site"], given["pages"], given["schema"]
question = {"urls": [page], "prompt": "When does it depart?", "schema": schema}


def use(client, prefix):
    """Calls all methods of a client, whose names have the prefix in the report."""
    announce([prefix + name for name in methods_of(client)] + [f"{prefix}v1", f"{prefix}v2"])

    def call(name, *arguments, has=(), **options):
        return step(prefix + name, lambda: getattr(client, name)(*arguments, **options), *has)

    def refuse(name, *arguments, text="not available", **options):
        refused(prefix + name, lambda: getattr(client, name)(*arguments, **options), text)

    scraped = call("scrape", page, formats=["markdown", "links"], has=["noon"])
    call("scrape", page, formats=[{"type": "json", "schema": schema}, "summary"], has=["departure"])
    call("scrape_url", page, formats=["markdown"], has=["noon"])
    step(f"{prefix}v1", lambda: client.v1.scrape_url(page, formats=["markdown"]), "noon")
    step(f"{prefix}v2", lambda: client.v2.scrape(page, formats=["markdown"]), "noon")
    call("map", site, limit=5, has=["/lamp"])
    call("map_url", site, has=["/lamp"])
    call("search", given["query"], limit=2, has=[page])
    call("parse", given["file"], has=["noon"])
    call("get_parse_formats", has=["pdf"])

    crawled = call("crawl", url=site, limit=3, poll_interval=1, has=["completed", "noon"])
    call("crawl_url", site, limit=3, has=["noon"])
    started = call("start_crawl", url=site, limit=2, has=["id"])
    call("async_crawl_url", site, limit=2, has=["id"])
    call("wait_crawl", started.id, poll_interval=1, has=["completed"])
    first = call("get_crawl_status", crawled.id, pagination_config=PaginationConfig(max_pages=1), has=["noon"])
    next_url = f"{given['url']}/v2/crawl/{first.id}?skip=1&limit=1"
    call("get_crawl_status_page", next_url, has=["ferr"])
    call("check_crawl_status", crawled.id, has=["noon"])
    call("get_crawl_errors", crawled.id, has=["errors"])
    call("check_crawl_errors", crawled.id, has=["errors"])
    call("crawl_params_preview", site, "only pages below /lamp")
    slow = perform(lambda: client.start_crawl(url=site, limit=50, delay=5))
    call("active_crawls", has=[slow.id])
    if hasattr(client, "get_active_crawls"):
        call("get_active_crawls", has=[slow.id])
    call("cancel_crawl", slow.id, has=["true"])

    call("batch_scrape", pages, formats=["markdown"], poll_interval=1, has=["completed", "noon"])
    call("batch_scrape_urls", pages, has=["noon"])
    begun = call("start_batch_scrape", pages, formats=["markdown"], has=["id"])
    step(f"{prefix}watcher", lambda: watch(client.watcher(begun.id, kind="batch", poll_interval=1)), "noon")
    call("async_batch_scrape_urls", pages, has=["id"])
    call("get_batch_scrape_status", begun.id, has=["noon"])
    call("get_batch_scrape_status_page", f"{given['url']}/v2/batch/scrape/{begun.id}?skip=1&limit=1", has=["ferr"])
    call("check_batch_scrape_status", begun.id, has=["noon"])
    call("get_batch_scrape_errors", begun.id, has=["errors"])
    call("check_batch_scrape_errors", begun.id, has=["errors"])
    waiting = perform(lambda: client.start_batch_scrape([given["slowPage"]] * 20))
    call("cancel_batch_scrape", waiting.id, has=["true"])

    call("start_extract", [page], schema=schema, has=["id"])
    extracted = call("extract", [page], schema=schema, has=["noon"])
    call("get_extract_status", extracted.id, has=["noon"])
    agent = call("agent", **question, has=["noon"])
    running = call("start_agent", **question, has=["id"])
    call("get_agent_status", agent.id, has=["noon"])
    call("list_agents", has=[agent.id])
    trace = call("get_agent_trace", agent.id, has=["artifact.updated"])
    artifact = next(event.artifact for event in trace.events if event.type == "artifact.updated")
    call("get_agent_snapshot", agent.id, artifact.snapshot_id, has=["noon"])
    refuse("get_agent_thread", agent.id, text="Threads are disabled")
    call("cancel_agent", running.id)

    target = {"type": "scrape", "urls": [page]}
    monitor = call("create_monitor", "Ferries", {"text": "hourly"}, [target], has=["id"])
    call("list_monitors", has=[monitor.id])
    call("get_monitor", monitor.id, has=["Ferries"])
    call("update_monitor", monitor.id, status="paused", has=["paused"])
    check = call("run_monitor", monitor.id, has=["id"])
    while check.status in ("queued", "running"):
        time.sleep(0.5)
        check = perform(lambda: client.get_monitor_check(monitor.id, check.id))
    call("get_monitor_check", monitor.id, check.id, has=["completed"])
    call("list_monitor_checks", monitor.id, has=[check.id])
    call("delete_monitor", monitor.id, has=["true"])

    session = call("browser", ttl=120, has=["cdp_url"])
    call("list_browsers", status="active", has=[session.id])
    call("browser_execute", session.id, "6 * 7", language="python", has=["42"])
    call("delete_browser", session.id, has=["true"])
    job = scraped.metadata.scrape_id
    call("interact", job, "await page.title()", has=["Ferries"])
    call("scrape_execute", job, "6 * 7", has=["42"])
    for name in ("stop_interaction", "stop_interactive_browser", "delete_scrape_browser"):
        fresh = perform(lambda: client.scrape(page, max_age=0)).metadata.scrape_id
        perform(lambda: client.interact(fresh, "6 * 7"))
        call(name, fresh, has=["true"])

    for name in ("get_concurrency", "get_credit_usage", "get_token_usage", "get_queue_status"):
        call(name)
    refuse("find_tools", query="weather", text="not enabled")
    refuse("developer_search", "node")
    refuse("gov_search", "ferries")
    refuse("scrape_alexandria", {"provider": "weather", "capability": "today"}, text="not enabled")
    for name in ("search_papers", "search_github"):
        refuse(name, "ferries")
    refuse("inspect_paper", "1")
    for name in ("read_paper", "related_papers"):
        refuse(name, "1", "ferries")


def watch(watcher):
    """Watches a job to its end. Returns its last state."""
    if hasattr(watcher, "__aiter__"):
        return read_last(watcher)
    ended = threading.Event()
    states = []

    def see(job):
        states.append(job)
        if job.status in ("completed", "failed", "cancelled"):
            ended.set()

    watcher.add_listener(see)
    watcher.start()
    ended.wait(60)
    watcher.stop()
    return states[-1]


async def read_last(watcher):
    """The last state that an asynchronous watcher has."""
    last = None
    async for last in watcher:
        pass
    return last


use(Firecrawl(api_key=given["key"], api_url=given["url"]), "")
use(AsyncFirecrawl(api_key=given["key"], api_url=given["url"]), "async ")
