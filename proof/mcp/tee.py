"""Starts a server and keeps what passes between it and its client: a line of JSON each, from whom it came.

    tee.py TRANSCRIPT PROGRAM WORD...
"""

import json
import subprocess
import sys
import threading

server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
transcript = open(sys.argv[1], "w", encoding="utf-8")
lock = threading.Lock()


def carry(source, target, who):
    for line in source:
        with lock:
            transcript.write(json.dumps({who: json.loads(line)}, ensure_ascii=False) + "\n")
            transcript.flush()
        target.write(line)
        target.flush()
    target.close()


client = threading.Thread(target=carry, args=(sys.stdin.buffer, server.stdin, "client"), daemon=True)
client.start()
carry(server.stdout, sys.stdout.buffer, "server")
sys.exit(server.wait())
