"""Uses the official Python SDK. The argument is JSON with the URLs and the file; the result is printed as JSON."""

import json
import sys
import time

from firecrawl import Firecrawl

given = json.loads(sys.argv[1])
client = Firecrawl(api_key=given["key"], api_url=given["url"])

scraped = client.scrape(given["article"], formats=["markdown", "links"])
older = client.v1.scrape_url(given["article"], formats=["markdown", "links"])
older_crawl = client.v1.crawl_url(given["site"], limit=2, poll_interval=1)
client.scrape(given["ferry"])
searched = client.search(given["query"], limit=2)
searched_pages = client.search(given["query"], limit=1, scrape_options={"formats": ["markdown"]})
batch = client.batch_scrape(given["articles"], formats=["markdown"], poll_interval=1)
crawl = client.crawl(given["site"], limit=3, poll_interval=1)
parsed = client.parse(given["file"])
formats = client.get_parse_formats()
try:
    client.parse(given["locked"])
    refusal = None
except Exception as error:
    refusal = {"type": type(error).__name__, "message": str(error)}

modelled = Firecrawl(api_key=given["modelled"]["key"], api_url=given["modelled"]["url"])
schema = {"type": "object", "properties": {"departure": {"type": "string"}}}
extracted = client.extract([given["ferry"]], schema=schema, show_sources=True, poll_interval=1)
answered = modelled.agent([given["ferry"]], prompt="When does it depart?", schema=schema, poll_interval=1)
agents = modelled.list_agents()
trace = modelled.get_agent_trace(answered.id)
artifacts = [event.artifact for event in trace.events if event.type == "artifact.updated"]
snapshot = modelled.get_agent_snapshot(answered.id, artifacts[0].snapshot_id)
ferry_id = modelled.scrape(given["ferry"]).metadata.scrape_id
prompted = modelled.interact(ferry_id, prompt="When does the ferry depart?", timeout=120)
modelled.stop_interaction(ferry_id)
try:
    client.agent(prompt="When does the ferry depart?")
    no_model = None
except Exception as error:
    no_model = str(error)

monitor = client.create_monitor(
    name="Ferries",
    schedule={"text": "hourly"},
    targets=[{"type": "scrape", "urls": [given["ferry"]]}],
)
monitor_changed = client.update_monitor(monitor.id, status="paused")
monitors = client.list_monitors(limit=100)
check = client.run_monitor(monitor.id)
while check.status in ("queued", "running"):
    time.sleep(0.5)
    check = client.get_monitor_check(monitor.id, check.id)
checks = client.list_monitor_checks(monitor.id)
monitor_deleted = client.delete_monitor(monitor.id)

session = client.browser(ttl=120, activity_ttl=60, stream_web_view=False)
listed = client.list_browsers(status="active")
executed = client.browser_execute(session.id, "6 * 7", language="python")
failed = client.browser_execute(session.id, "exit 3")
ended = client.delete_browser(session.id)
scrape_id = scraped.metadata.scrape_id
continued = client.interact(scrape_id, "page.url()")
stopped = client.stop_interaction(scrape_id)


def job(result):
    return {
        "status": result.status,
        "completed": result.completed,
        "sources": [document.metadata.source_url for document in result.data],
        "markdown": [document.markdown for document in result.data],
    }


print(
    json.dumps(
        {
            "scraped": {
                "markdown": scraped.markdown,
                "links": scraped.links,
                "status_code": scraped.metadata.status_code,
            },
            "searched": [each.url for each in searched.web],
            "searched_markdown": searched_pages.web[0].markdown,
            "batch": job(batch),
            "crawl": job(crawl),
            "parsed": {
                "markdown": parsed.markdown,
                "metadata": parsed.metadata.model_dump(),
            },
            "formats": [each.model_dump() for each in formats],
            "older": {
                "markdown": older.markdown,
                "links": older.links,
                "crawl": [older_crawl.status, older_crawl.completed, len(older_crawl.data)],
            },
            "refusal": refusal,
            "extracted": extracted.model_dump(mode="json"),
            "agent": {
                "answered": answered.model_dump(mode="json"),
                "listed": [each.id for each in agents.agents],
                "events": [event.type for event in trace.events],
                "snapshot": snapshot.snapshot,
                "no_model": no_model,
                "prompted": prompted.model_dump(),
            },
            "monitor": {
                "created": monitor.model_dump(mode="json"),
                "changed": monitor_changed.status,
                "listed": [each.id for each in monitors],
                "checks": [each.status for each in checks],
                "pages": [[page.url, page.status] for page in check.pages],
                "deleted": monitor_deleted,
            },
            "session": {
                "created": session.model_dump(),
                "listed": [each.id for each in listed.sessions],
                "executed": executed.model_dump(),
                "failed": failed.model_dump(),
                "ended": ended.model_dump(),
                "continued": continued.model_dump(),
                "stopped": stopped.model_dump(),
            },
        }
    )
)
