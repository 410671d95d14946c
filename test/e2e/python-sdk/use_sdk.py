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
        }
    )
)
