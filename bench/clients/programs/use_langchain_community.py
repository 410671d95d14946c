"""Loads pages by the loader of langchain-community, in each of its modes."""

from langchain_community.document_loaders.firecrawl import FireCrawlLoader
from steps import announce, given, step

page, site = given["page"], given["site"]


def load(mode, url, **params):
    loader = FireCrawlLoader(url=url, mode=mode, api_key=given["key"], api_url=given["url"], params=params)
    return " ".join(document.page_content for document in loader.load())


announce(["scrape", "crawl", "map", "extract", "search"])
step("scrape", lambda: load("scrape", page), "noon")
step("crawl", lambda: load("crawl", site, limit=3), "noon")
step("map", lambda: load("map", site), "/lamp")
step("extract", lambda: load("extract", page, prompt="When does it depart?", schema=given["schema"]), "noon")
step("search", lambda: load("search", page, query=given["query"]), "ferry")
