"""Sends POST calls with Python's http.client. Arguments and output are those of sender.mjs."""

import http.client
import sys
import time
import urllib.parse
import uuid
from concurrent.futures import ThreadPoolExecutor

url, count, at_once, size, how, *headers = sys.argv[1:]
address = urllib.parse.urlsplit(url)
body = b"{}".ljust(int(size))


def pieces():
    step = 1024 if how == "slow" else 65536
    for start in range(0, len(body), step):
        yield body[start : start + step]
        if how == "slow":
            time.sleep(0.05)


def call(_):
    connection = http.client.HTTPConnection(address.netloc)
    try:
        connection.request(
            "POST",
            f"{address.path}?{address.query}".replace("NONCE", str(uuid.uuid4())),
            body=body if how == "whole" else pieces(),
            headers=dict(line.split(": ", 1) for line in headers),
        )
        response = connection.getresponse()
        return f"{response.status} {response.read().decode()}"
    except (OSError, http.client.HTTPException) as error:
        return f"lost {type(error).__name__}"
    finally:
        connection.close()


with ThreadPoolExecutor(int(at_once)) as pool:
    for outcome in pool.map(call, range(int(count))):
        print(outcome)
