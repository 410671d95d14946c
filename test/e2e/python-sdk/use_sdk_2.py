"""Uses the Python SDK 2.16, which knows version 1 of the API. The argument is JSON with URLs; the result is printed as JSON."""

import json
import sys

from firecrawl import FirecrawlApp, JsonConfig

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

print(
    json.dumps(
        {
            "scraped": scraped.model_dump(by_alias=True),
            "extracted": extracted.model_dump(by_alias=True),
            "named": named.model_dump(by_alias=True),
            "acted": acted.model_dump(by_alias=True),
            "refusal": refusal,
        }
    )
)
