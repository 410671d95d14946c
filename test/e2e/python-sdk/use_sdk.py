"""Uses the official Python SDK. The argument is JSON with the URLs and the file; the result is printed as JSON."""

import json
import sys

from firecrawl import Firecrawl

given = json.loads(sys.argv[1])
client = Firecrawl(api_key=given["key"], api_url=given["url"])

scraped = client.scrape(given["article"], formats=["markdown", "links"])
batch = client.batch_scrape(given["articles"], formats=["markdown"], poll_interval=1)
crawl = client.crawl(given["site"], limit=3, poll_interval=1)
parsed = client.parse(given["file"])
try:
    client.parse(given["locked"])
    refusal = None
except Exception as error:
    refusal = {"type": type(error).__name__, "message": str(error)}

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
            "batch": job(batch),
            "crawl": job(crawl),
            "parsed": {
                "markdown": parsed.markdown,
                "metadata": parsed.metadata.model_dump(),
            },
            "refusal": refusal,
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
