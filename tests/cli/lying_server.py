#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A server of one file, FILE, that answers requests for ranges as the path asks: /good/x, /plain/x
(no ranges), /short/x, /long/x, /shifted/x, /total/x, /changed/x, /gone/x, /garbage/x, /busy/x (503
at first), /cut/x (the connection ends), /packed/x (Content-Encoding), /untagged/x, /weak/x, /named/x
(bytes of another file), /away/x (redirects), /slow/x (each range takes 50 ms; of two at a time the
second is refused at /slow-alone/x). Prints its port. GET /count: how many ranges it gave; /together:
how many at a time.

Usage: lying_server.py FILE OTHER
"""
import http.server
import sys
import threading
import time

with open(sys.argv[1], "rb") as f:
    DATA = f.read()
with open(sys.argv[2], "rb") as f:
    OTHER = f.read()
STATE = {"count": 0, "busy": 0, "ranges": 0, "now": 0, "together": 0}
LOCK = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, code, headers, body):
        self.send_response(code)
        for key, value in headers.items():
            self.send_header(key, value)
        if "Content-Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        kind = self.path.split("/")[1].split("?")[0]
        if kind == "count":
            return self.send(200, {}, str(STATE["count"]).encode())
        if kind == "together":
            return self.send(200, {}, str(STATE["together"]).encode())
        if kind == "reset":
            STATE.update(count=0, busy=0, ranges=0, together=0)
            return self.send(200, {}, b"")
        wanted = self.headers.get("Range", "")
        if kind == "plain" or not wanted.startswith("bytes="):
            return self.send(200, {}, DATA)
        if kind == "gone":
            return self.send(404, {}, b"no")
        if kind == "away":
            return self.send(302, {"Location": self.path.replace("/away/", "/good/")}, b"")
        if kind == "loop":
            return self.send(302, {"Location": self.path}, b"")
        if kind == "file":
            return self.send(302, {"Location": "file:///etc/passwd"}, b"")
        if kind == "busy" and STATE["busy"] < 2:
            STATE["busy"] += 1
            return self.send(503, {"Retry-After": "0"}, b"later")
        if kind in ("slow", "slow-alone"):
            with LOCK:
                STATE["now"] += 1
                STATE["together"] = max(STATE["together"], STATE["now"])
                alone = STATE["now"] == 1
            time.sleep(0.05)
            with LOCK:
                STATE["now"] -= 1
            if kind == "slow-alone" and not alone:
                return self.send(500, {}, b"one at a time")
        STATE["count"] += 1
        STATE["ranges"] += 1
        first, last = wanted[6:].split("-")
        begin, end, total = int(first), min(int(last) + 1, len(DATA)), len(DATA)
        tag = '"one"'
        later = STATE["ranges"] > 1
        body = DATA[begin:end]
        if kind == "changed" and later:
            tag = '"two"'
        if kind == "matched" and later:
            return self.send(412, {}, b"")
        if kind == "short" and later:
            body = body[:-1]
        if kind == "long":
            body = body + b"x"
        if kind == "shifted" and later:
            begin, end = begin - 1, end - 1
        if kind == "total" and later:
            total += 4096
        if kind == "huge":
            total = 1 << 62
        if kind == "garbage" and later:
            body = bytes(len(body))
        if kind == "named" and later:
            body = OTHER[begin:end].ljust(end - begin, b"\0")
        headers = {"Content-Range": "bytes %d-%d/%d" % (begin, end - 1, total), "ETag": tag}
        if kind == "untagged":
            del headers["ETag"]
        if kind == "weak":
            headers["ETag"] = 'W/"one"'
            headers["Last-Modified"] = "Thu, 26 Nov 2026 10:00:00 GMT"
        if kind == "escape":
            headers["Content-Range"] = "bytes \x1b[31m"
        if kind == "packed":
            headers["Content-Encoding"] = "br"
        if kind == "unranged":
            del headers["Content-Range"]
        if kind == "cut" and later:
            self.send_response(206)
            for key, value in headers.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
            return None
        return self.send(206, headers, body)


SERVER = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(SERVER.server_address[1], flush=True)
SERVER.serve_forever()
