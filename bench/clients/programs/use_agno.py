"""Calls the tools for agents of agno."""

from agno.tools.firecrawl import FirecrawlTools
from steps import announce, given, step

tools = FirecrawlTools(api_key=given["key"], api_url=given["url"], all=True)
announce(list(tools.functions))
step("scrape_website", lambda: tools.scrape_website(given["page"]), "noon")
step("crawl_website", lambda: tools.crawl_website(given["site"], 3), "noon")
step("map_website", lambda: tools.map_website(given["site"]), "/lamp")
step("search_web", lambda: tools.search_web(given["query"], 2), given["page"])
