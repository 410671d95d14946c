"""Loads and searches by the functions that Open WebUI has for this engine, without the rest of Open WebUI."""

import importlib
import os
import pathlib
import sys
import types

from steps import announce, given, step

# The packages of Open WebUI would start all of it when they are imported, so they are found without their own code.
for name in ("open_webui", "open_webui.retrieval", "open_webui.retrieval.web"):
    package = types.ModuleType(name)
    package.__path__ = [str(pathlib.Path(os.environ["PYTHONPATH"], *name.split(".")))]
    sys.modules[name] = package
# A search returns records of this class, whose own module imports the rest as well.
main = types.ModuleType("open_webui.retrieval.web.main")
main.SearchResult = dict
sys.modules[main.__name__] = main
engine = importlib.import_module("open_webui.retrieval.web.firecrawl")

announce(["scrape_firecrawl_url", "search_firecrawl"])
url, key = given["url"], given["key"]
# The base URL may have /v2 at its end.
for base in (url, f"{url}/v2"):
    step("scrape_firecrawl_url", lambda: engine.scrape_firecrawl_url(base, key, given["page"], timeout=20), "noon")
step("search_firecrawl", lambda: engine.search_firecrawl(url, key, given["query"], 3), given["page"])
