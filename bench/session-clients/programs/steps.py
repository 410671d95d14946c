"""What the programs in Python have in common."""

import base64
import json
import os
import urllib.request

SITE = os.environ["WINNOW_CLIENT_SITE"]
URL_OF_SESSION = os.environ["WINNOW_CLIENT_URL"]
# A file of the client's machine, and the name that downloads of the site have.
FILE = os.environ["WINNOW_CLIENT_FILE"]
NAME = "report.txt"


def step(name, perform):
    """Performs a step, and prints what it returned or the message of its error."""
    try:
        value = perform()
    except Exception as error:
        message = getattr(error, "message", None) or getattr(error, "msg", None) or str(error)
        print(json.dumps({"step": name, "error": message}), flush=True)
        return None
    plain = value if isinstance(value, (str, list, dict)) else "done"
    print(json.dumps({"step": name, "value": plain}), flush=True)
    return value


def setting(name):
    return os.environ[f"WINNOW_CLIENT_{name}"]


def end_session():
    urllib.request.urlopen(setting("END_SESSION")).read()


def upload_to_session():
    """Uploads the file to the session, for clients that send none of their own machine."""
    with open(FILE, "rb") as file:
        content = file.read()
    name = os.path.basename(FILE)
    body = (
        f'--part\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
        + content
        + b"\r\n--part--\r\n"
    )
    headers = {"Content-Type": "multipart/form-data; boundary=part"}
    url = "http" + URL_OF_SESSION.removeprefix("ws") + "/files"
    urllib.request.urlopen(urllib.request.Request(url, body, headers)).read()


def read_by_protocol(send):
    """Reads the download of the session by commands of the DevTools protocol."""
    return base64.b64decode(send("IO.read", {"handle": f"/downloads/{NAME}"})["data"]).decode()
