"""Submits batches to Lockstep, follows its event feed and receives its webhooks with Python's standard library."""

import base64
import hmac
import json
import os
import random
import sys
import threading
import time
import uuid
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode, urlsplit

# After these causes the same call can succeed (x-retryable in /openapi.json). Any other cause is final.
REPEATED = {"overloaded", "channel_paused", "request_timeout", "secrets_exhausted", "token_invalid"}
REPEATED |= {"service_unavailable", "outcome_unknown", "nonce_replayed", "temporarily_unavailable"}
ATTEMPTS = 6
TOLERANCE_SECONDS = 5 * 60
MAX_WEBHOOK_BYTES = 100_000


class Refused(Exception):
    """The service refused a call. The arguments are the cause, for programs, and the message, for people."""


class Lockstep:
    def __init__(self, base_url, app_key, app_secret):
        self.base, self.app_key, self.app_secret = urlsplit(base_url), app_key, app_secret
        self.token, self.token_ends = "", 0.0

    def call(self, method, path, query, body=None):
        """Returns the data of an operation. Raises Refused, or OSError if no attempt gets a final answer."""
        # The same key for each attempt: whatever the operation, it takes effect once.
        headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
        answer = self._send(method, f"/order/api/order/v1{path}", {"appKey": self.app_key, **query}, body, headers)
        # HTTP clients treat status 299 as a success, so the code decides.
        if answer["code"] != 0:
            raise Refused(answer["cause"], answer["message"])
        return answer.get("data")

    def _get_token(self):
        if time.monotonic() >= self.token_ends:
            form = {"grant_type": "client_credentials", "client_id": self.app_key, "client_secret": self.app_secret}
            headers = {"Content-Type": "application/x-www-form-urlencoded"}
            answer = self._send("POST", "/oauth2/token", {}, urlencode(form), headers)
            if "access_token" not in answer:
                raise Refused(answer.get("error"), answer.get("error_description"))
            self.token, self.token_ends = answer["access_token"], time.monotonic() + answer["expires_in"] - 60
        return self.token

    def _send(self, method, path, query, body, headers):
        """Sends a call until its answer is final, which it returns."""
        is_call = path != "/oauth2/token"
        connect = HTTPSConnection if self.base.scheme == "https" else HTTPConnection
        for attempt in range(1, ATTEMPTS + 1):
            seconds = min(30, 2 ** (attempt - 1)) * random.uniform(0.5, 1)
            if is_call:
                headers["Authorization"] = f"Bearer {self._get_token()}"
            # A nonce is valid once, so each attempt needs a new one.
            search = urlencode({**query, "g_nonce": uuid.uuid4()})
            try:
                with closing(connect(self.base.netloc, timeout=60)) as connection:
                    connection.request(method, f"{self.base.path}{path}?{search}", body, headers)
                    response = connection.getresponse()
                    told = response.getheader("Retry-After", "")
                    seconds = max(seconds, int(told) if told.isdecimal() else 0)
                    answer = json.load(response)
                fault = answer.get("cause") or answer.get("error") or f"HTTP {response.status}"
                own = {"code"} if is_call else {"error", "access_token"}
                if fault not in REPEATED and answer.keys() & own:
                    return answer
                if fault == "token_invalid":
                    self.token_ends = 0.0
            except (OSError, HTTPException) as error:
                # No answer, or a part of one.
                fault = repr(error)
            except (ValueError, AttributeError):
                # The answer of a proxy.
                fault = f"HTTP {response.status}"
            if attempt < ATTEMPTS:
                print(f"{fault}; retrying in {seconds:.1f} s", file=sys.stderr)
                time.sleep(seconds)
        raise ConnectionError(f"{self.base.geturl()} could not be used: {fault}")


def submit(service, file):
    """Submits a batch, waits for its outcome, and prints what failed."""
    batch = Path(file).read_bytes()
    service.call("POST", "/licenseOrder/batchOrder", {}, batch)
    query = {name: json.loads(batch)[name] for name in ("channelCode", "channelOrderId")}
    query.update(state="failed", waitSeconds=30, cursor="")
    while query["cursor"] is not None:
        result = service.call("GET", "/licenseOrder/batchOrder", query)
        if result["state"] == "completed":
            for order in result["orders"]:
                print(f"order {order['sequence']}: {order['cause']}: {order['message']}")
            query["cursor"] = result["nextCursor"]
    print(f"{query['channelOrderId']}: {result['succeeded']} succeeded, {result['failed']} failed")


def follow(service, file):
    """Prints the ends of batches after the position in a file. Store the position together with what you do."""
    after = Path(file).read_text() if Path(file).exists() else ""
    while True:
        feed = service.call("GET", "/events", {"after": after, "waitSeconds": 30})
        for event in feed["events"]:
            # Later releases can add types.
            if event["type"] in ("batch.completed", "batch.retried"):
                print(event["id"], event["type"], event["data"]["channelOrderId"], flush=True)
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
    # While a secret is rotated there are two, separated by a space.
    keys = [base64.b64decode(secret[len("whsec_") :]) for secret in os.environ.get("WEBHOOK_SECRET", "").split()]
    # In production, use a table: insert the id in the transaction that handles the message.
    handled, lock, timeout = set(), threading.Lock(), 15

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(max(0, min(length, MAX_WEBHOOK_BYTES)))
        genuine = is_genuine(self.keys, self.headers, body)
        with self.lock:
            # A message can come more than once, with the same id.
            if genuine and self.headers["webhook-id"] not in self.handled:
                print(self.headers["webhook-id"], body.decode(), flush=True)
                self.handled.add(self.headers["webhook-id"])
        self.send_response(204 if genuine else 401)
        self.end_headers()


def receive():
    # With an empty key, anyone could sign.
    if not Receiver.keys or min(map(len, Receiver.keys)) < 24:
        sys.exit("Set WEBHOOK_SECRET to the secret of the webhook: whsec_ and at least 32 characters.")
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 9000))), Receiver)
    print(f"Listening on port {server.server_port}", flush=True)
    server.serve_forever()


def read_service():
    """Takes address and credentials from one source, so that no secret goes to the address of another service."""
    names = ("LOCKSTEP_BASE_URL", "LOCKSTEP_APP_KEY", "LOCKSTEP_APP_SECRET")
    given = [os.environ.get(name, "") for name in names]
    file = Path(os.environ.get("DATA_DIR", ".lockstep"), "demo.json")
    if not any(given) and file.exists():
        demo = json.loads(file.read_bytes())
        given = [demo["baseUrl"], demo["appKey"], demo["appSecret"]]
    if not all(given):
        sys.exit(f"Set {', '.join(names)}, or start the demo.")
    return Lockstep(*given)


if __name__ == "__main__":
    commands = {"submit": submit, "follow": follow}
    if sys.argv[1:] == ["receive"]:
        receive()
    if len(sys.argv) != 3 or sys.argv[1] not in commands:
        sys.exit("Usage: python3 example.py submit BATCH.json | follow POSITION.txt | receive")
    try:
        commands[sys.argv[1]](read_service(), sys.argv[2])
    except (Refused, OSError) as error:
        sys.exit(": ".join(map(str, error.args)))
