"""Submits batches to Lockstep, follows its event feed and receives its webhooks with Python's standard library."""

import base64
import hmac
import json
import os
import random
import re
import sys
import threading
import time
import uuid
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode, urlsplit

# After these codes and causes, the same call can succeed later (docs/integrating.md). Any other refusal is final.
RETRYABLE = {"408", "425", "429", "500", "502", "503", "504", "token_invalid", "nonce_replayed"}
ATTEMPTS = 6
FOREVER = sys.maxsize
TOLERANCE_SECONDS = 5 * 60
MAX_WEBHOOK_BYTES = 100_000


class Failed(Exception):
    """A call failed. The arguments are the cause, for programs, and the message, for people."""


class Lockstep:
    def __init__(self, base_url, app_key, app_secret):
        self.base, self.app_key, self.app_secret = urlsplit(base_url.rstrip("/")), app_key, app_secret
        self.token, self.token_ends = "", 0.0

    def call(self, path, query, body=None, attempts=ATTEMPTS):
        """Returns the data of an operation: GET, or POST with a body. Raises Failed if no attempt gets it."""
        # The same key for each attempt: whatever the operation, it takes effect once.
        headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
        path, query = f"/order/api/order/v1{path}", {"appKey": self.app_key, **query}
        return self._send(path, query, body, headers, attempts).get("data")

    def _get_token(self, attempts):
        if time.monotonic() >= self.token_ends:
            form = {"grant_type": "client_credentials", "client_id": self.app_key, "client_secret": self.app_secret}
            headers = {"Content-Type": "application/x-www-form-urlencoded"}
            answer = self._send("/oauth2/token", {}, urlencode(form), headers, attempts)
            self.token, self.token_ends = answer["access_token"], time.monotonic() + answer["expires_in"] - 60
        return self.token

    def _send(self, path, query, body, headers, attempts):
        """Sends a call until its answer is final. Returns the answer, or raises Failed if it is not a success."""
        connect = HTTPSConnection if self.base.scheme == "https" else HTTPConnection
        for attempt in range(1, attempts + 1):
            seconds = min(30, 2 ** (attempt - 1)) * random.uniform(0.5, 1)
            if path != "/oauth2/token":
                headers["Authorization"] = f"Bearer {self._get_token(attempts)}"
            # A nonce is valid once, so each attempt needs a new one.
            target = f"{self.base.path}{path}?{urlencode({**query, 'g_nonce': uuid.uuid4()})}"
            try:
                with closing(connect(self.base.netloc, timeout=60)) as connection:
                    connection.request("GET" if body is None else "POST", target, body, headers)
                    response = connection.getresponse()
                    text = response.read().decode(errors="replace")
                told = response.getheader("Retry-After", "")
                seconds = max(seconds, int(told) if told.isdecimal() else 0)
                answer = dict(json.loads(text))
            except (OSError, HTTPException, UnicodeError) as error:
                answer = {"code": "500", "cause": "connection_failed", "message": f"{self.base.geturl()}: {error!r}"}
            except (TypeError, ValueError):
                is_part = response.status < 300 and text[:1] in ("", "{")
                answer = {"code": "500", "message": "the answer was cut off"} if is_part else {}
            # HTTP clients treat status 299 as a success, so the code decides. The answer with a token has none.
            if answer.get("code") == 0 or "access_token" in answer:
                if attempt > 1:
                    print("Lockstep accepts calls again.", file=sys.stderr)
                return answer
            code = str(answer.get("code") or response.status)
            cause = str(answer.get("cause") or answer.get("error") or f"HTTP {response.status}")
            message = answer.get("message") or answer.get("error_description") or f"not from Lockstep: {text!r:.80}"
            if cause == "token_invalid":
                self.token_ends = 0.0
            if RETRYABLE.isdisjoint((code, cause)) or attempt == attempts:
                raise Failed(cause, message)
            if attempt == 1:
                print(f"{cause}: {message}; retrying", file=sys.stderr)
            time.sleep(seconds)


def submit(service, file):
    """Submits a batch, waits for its outcome, and prints what failed."""
    batch = Path(file).read_bytes()
    service.call("/licenseOrder/batchOrder", {}, batch)
    query = {name: json.loads(batch)[name] for name in ("channelCode", "channelOrderId")}
    query.update(state="failed", waitSeconds=30, cursor="")
    while query["cursor"] is not None:
        result = service.call("/licenseOrder/batchOrder", query, attempts=FOREVER)
        if result["state"] == "completed":
            for order in result["orders"]:
                print(f"order {order['sequence']}: {order['cause']}: {order['message']}")
            query["cursor"] = result["nextCursor"]
    print(f"{query['channelOrderId']}: {result['succeeded']} succeeded, {result['failed']} failed")


def follow(service, file):
    """Prints the events after the position in a file. Store the position together with what you do."""
    after = Path(file).read_text() if Path(file).exists() else ""
    while True:
        feed = service.call("/events", {"after": after, "waitSeconds": 30}, attempts=FOREVER)
        for event in feed["events"]:
            print(event["id"], event["type"], json.dumps(event["data"]), flush=True)
        after = feed["lastId"] or ""
        Path(file).write_text(after)


def is_genuine(keys, headers, body):
    """Whether a body, as its bytes came, was signed with a key within the last five minutes (Standard Webhooks)."""
    message_id, seconds = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not seconds.isdecimal() or abs(time.time() - float(seconds)) > TOLERANCE_SECONDS:
        return False
    signed = f"{message_id}.{seconds}.".encode() + body
    expected = [b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256")) for key in keys]
    claims = headers.get("webhook-signature", "").encode().split()
    return any(hmac.compare_digest(claim, one) for claim in claims for one in expected)


class Receiver(BaseHTTPRequestHandler):
    # In production, use a table: insert the id in the transaction that handles the message.
    handled, lock, timeout = set(), threading.Lock(), 15

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(max(0, min(length, MAX_WEBHOOK_BYTES)))
        genuine = is_genuine(self.server.keys, self.headers, body)
        with self.lock:
            # A message can come more than once, with the same id.
            if genuine and self.headers["webhook-id"] not in self.handled:
                print(self.headers["webhook-id"], body.decode(), flush=True)
                self.handled.add(self.headers["webhook-id"])
        self.send_response(204 if genuine else 401)
        self.end_headers()


def receive():
    # While a secret is rotated there are two, separated by a space. With an empty key, anyone could sign.
    words = os.environ.get("WEBHOOK_SECRET", "").split()
    secrets = [re.fullmatch("whsec_([A-Za-z0-9+/]{32,}=*)", word) for word in words]
    if not secrets or None in secrets:
        sys.exit("WEBHOOK_SECRET: must be the secret of the webhook: whsec_ and at least 32 characters")
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 9000))), Receiver)
    server.keys = [base64.b64decode(secret[1]) for secret in secrets]
    print(f"Listening on port {server.server_port}", flush=True)
    server.serve_forever()


def read_service():
    """Takes address and credentials from one source, so that no secret goes to the address of another service."""
    names = ("LOCKSTEP_BASE_URL", "LOCKSTEP_APP_KEY", "LOCKSTEP_APP_SECRET")
    given = [os.environ.get(name, "") for name in names]
    file = Path(os.environ.get("DATA_DIR", ".lockstep"), "demo.json")
    if not any(given) and file.exists():
        given = [json.loads(file.read_bytes())[name] for name in ("baseUrl", "appKey", "appSecret")]
    if not all(given) or not given[0].startswith(("http://", "https://")):
        sys.exit(f"{', '.join(names)}: set all, an address with http:// or https://, or start the demo")
    return Lockstep(*given)


if __name__ == "__main__":
    commands = {"submit": submit, "follow": follow}
    try:
        if sys.argv[1:] == ["receive"]:
            receive()
        if len(sys.argv) != 3 or sys.argv[1] not in commands:
            sys.exit("Usage: python3 example.py submit BATCH.json | follow POSITION.txt | receive")
        commands[sys.argv[1]](read_service(), sys.argv[2])
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        sys.exit(": ".join(map(str, error.args)) if isinstance(error, Failed) else f"{type(error).__name__}: {error}")
