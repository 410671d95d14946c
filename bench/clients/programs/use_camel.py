"""Calls the loader of CAMEL."""

from camel.loaders import Firecrawl
from pydantic import BaseModel
from steps import announce, given, methods_of, step


class Ferry(BaseModel):
    departure: str


loader = Firecrawl(api_key=given["key"], api_url=given["url"])
announce(methods_of(loader))
crawl = step("crawl", lambda: loader.crawl(given["site"], params={"limit": 3}), "noon")
job = loader.app.start_crawl(given["site"], limit=2) if hasattr(loader.app, "start_crawl") else None
step("check_crawl_job", lambda: loader.check_crawl_job(job.id), "status")
step("scrape", lambda: loader.scrape(given["page"]), "noon")
step("structured_scrape", lambda: loader.structured_scrape(given["page"], Ferry), "noon")
step("map_site", lambda: loader.map_site(given["site"]), "/lamp")
