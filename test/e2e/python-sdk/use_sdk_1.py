"""Uses the Python SDK 1.17, which returns responses as they are. The argument is JSON with URLs; the result is printed as JSON."""

import json
import sys

from firecrawl import FirecrawlApp

given = json.loads(sys.argv[1])
client = FirecrawlApp(api_key=given["key"], api_url=given["url"])
schema = {"type": "object", "properties": {"title": {"type": "string"}, "price": {"type": "number"}}}

print(
    json.dumps(
        {
            "scraped": client.scrape_url(given["article"], {"formats": ["markdown", "screenshot@fullPage"]}),
            "extracted": client.scrape_url(given["lamp"], {"formats": ["extract"], "extract": {"schema": schema}}),
            "crawl": client.crawl_url(
                given["site"],
                {"limit": 3, "maxDepth": 2, "scrapeOptions": {"formats": ["markdown"]}},
                poll_interval=1,
            ),
            "batch": client.batch_scrape_urls(given["articles"], {"formats": ["markdown"]}, poll_interval=1),
            "mapped": client.map_url(given["lamp"], {"search": "lamp"}),
            "searched": client.search(given["query"], {"limit": 2}),
            "extract": client.extract([given["lamp"]], {"schema": schema}),
        }
    )
)
