"""Drives a browser session by Selenium and chromedriver; ../run-client.ts says what each step has to show."""

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from selenium_relay import open_port
from steps import FILE, SITE, URL_OF_SESSION, end_session, read_by_protocol, setting, step, upload_to_session


def connect(url=URL_OF_SESSION):
    options = webdriver.ChromeOptions()
    options.debugger_address = open_port(url)
    return webdriver.Chrome(options=options, service=Service(setting("DRIVER")))


driver = step("connect", connect)


def navigate():
    driver.get(f"{SITE}/")
    return driver.title


def upload():
    upload_to_session()
    driver.find_element(By.CSS_SELECTOR, "input").send_keys(FILE)
    return driver.execute_script("return document.querySelector('input').files[0].text()")


def download():
    driver.find_element(By.ID, "download").click()
    return {"text": WebDriverWait(driver, 20).until(lambda _: read_if_there())}


def read_if_there():
    try:
        return read_by_protocol(driver.execute_cdp_cmd)
    except Exception:
        return None


def tabs():
    first = driver.current_window_handle
    driver.switch_to.new_window("tab")
    second = driver.current_window_handle
    driver.get(f"{SITE}/second")
    driver.switch_to.window(first)
    known = set(driver.window_handles)
    driver.find_element(By.ID, "popup").click()
    WebDriverWait(driver, 20).until(lambda _: len(driver.window_handles) > len(known))
    (popup,) = set(driver.window_handles) - known
    titles = []
    for handle in (first, second, popup):
        driver.switch_to.window(handle)
        WebDriverWait(driver, 20).until(lambda _: driver.title)
        titles.append(driver.title)
    driver.close()
    driver.switch_to.window(first)
    return titles


def reconnect():
    global driver
    # quit() of a driver that has connected to a browser leaves it running.
    driver.quit()
    driver = connect()
    titles = []
    for handle in driver.window_handles:
        driver.switch_to.window(handle)
        titles.append(driver.title)
    return titles


def killed():
    end_session()
    driver.execute_async_script("")


step("navigate", navigate)
step("upload", upload)
step("download", download)
step("tabs", tabs)
step("reconnect", reconnect)
step("unreachable", lambda: driver.get(setting("UNREACHABLE")))
step("private", lambda: driver.get(setting("PRIVATE")))
step("ended", lambda: connect(setting("ENDED")))
step("unknown", lambda: connect(setting("UNKNOWN")))
step("killed", killed)
if driver:
    driver.quit()
