"""Uses the loader and the tools of langchain-firecrawl."""

from langchain_firecrawl import (
    FirecrawlCrawl,
    FirecrawlExtract,
    FirecrawlLoader,
    FirecrawlMap,
    FirecrawlScrape,
    FirecrawlSearch,
)
from steps import announce, given, step

page, site = given["page"], given["site"]
access = {"api_key": given["key"], "api_url": given["url"]}


def load(mode, url, **params):
    documents = FirecrawlLoader(url=url, mode=mode, params=params, **access).load()
    return " ".join(document.page_content for document in documents)


tools = {
    FirecrawlScrape: ({"url": page}, "noon"),
    FirecrawlCrawl: ({"url": site, "limit": 3}, "noon"),
    FirecrawlMap: ({"url": site}, "/lamp"),
    FirecrawlExtract: ({"urls": [page], "prompt": "When does it depart?"}, "noon"),
    FirecrawlSearch: ({"query": given["query"]}, page),
}
announce([tool.__name__ for tool in tools] + [f"loader {mode}" for mode in ("scrape", "crawl", "map")])
for tool, (request, text) in tools.items():
    step(tool.__name__, lambda: tool(**access).invoke(request), text)
step("loader scrape", lambda: load("scrape", page), "noon")
step("loader crawl", lambda: load("crawl", site, limit=3), "noon")
step("loader map", lambda: load("map", site), "/lamp")
