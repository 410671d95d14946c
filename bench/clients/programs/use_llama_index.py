"""Loads pages by the reader of LlamaIndex, in each of its modes."""

from llama_index.readers.web import FireCrawlWebReader
from steps import announce, given, step

page, site = given["page"], given["site"]


def load(mode, params=None, **request):
    reader = FireCrawlWebReader(api_key=given["key"], api_url=given["url"], mode=mode, params=params)
    return " ".join(f"{document.text} {document.metadata}" for document in reader.load_data(**request))


announce(["scrape", "crawl", "map", "extract", "search"])
step("scrape", lambda: load("scrape", url=page), "noon")
step("crawl", lambda: load("crawl", {"limit": 3}, url=site), "noon")
step("map", lambda: load("map", url=site), "/lamp")
step(
    "extract",
    lambda: load("extract", {"prompt": "When does it depart?", "schema": given["schema"]}, urls=[page]),
    "noon",
)
step("search", lambda: load("search", query=given["query"]), page)
